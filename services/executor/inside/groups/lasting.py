"""Lasting: what goes on over resets, the time on the wall and the process's surroundings decide nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Value
from services.executor.inside.groups import ageing
from services.executor.inside.groups.determinism import APART, HISTORY
from services.executor.inside.groups.replaying import actions_for, difference, record, told
from services.executor.inside.subject import Subject, Unusable

SEED = 11
STEPS = 40
PACE = 1e6  # a millisecond is a quarter of an hour


def check_ageing(subject: Subject) -> Iterator[Finding]:
    """Sets the counters that no reset clears to a thousand million."""
    actions = actions_for(subject, "ageing", min(STEPS, subject.affordable(200)))
    with subject.start() as candidate:
        answer = candidate.probe(f"{ageing.__name__}.aged", env=0, seed=SEED, actions=actions)
    names = [str(item.plain) for item in answer.items] if isinstance(answer, Value) else []
    if names:
        yield HISTORY.error(
            f"an episode is another one once the environment has been used for long: {', '.join(names[:4])} counts on "
            f"over resets",
            evidence=f"seed {SEED}, random actions, before and after {ageing.FAR:.0e} was added",
            line=subject.line_of("reset"),
        )


def check_surroundings(subject: Subject) -> Iterator[Finding]:
    """The same episode where the clocks run a million times as fast, and all that a process is told is another."""
    actions = actions_for(subject, "clock", min(STEPS, subject.affordable(200)))
    with subject.start() as candidate:
        one = record(subject, candidate, SEED, actions)
    try:
        with subject.start(pace=PACE) as candidate:
            other = record(subject, candidate, SEED, actions)
    except Unusable:  # a variable that names a file, say, has a value of ours there
        return
    if isinstance(one, list) and isinstance(other, list) and (pair := difference(one, other)) is not None:
        yield APART.error(
            f"reset(seed={SEED}) gives another episode where the clock runs faster, and the command line and the "
            f"environment variables are others",
            evidence=f"seed {SEED}, {told(pair)}",
            line=subject.line_of("step"),
        )
