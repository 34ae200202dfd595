"""Episodes: how they end, and that the end is what the caller gets to see."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from kit.inside.candidate import Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import probing, restarting
from services.executor.inside.groups.replaying import actions_for, fingerprint, record
from services.executor.inside.subject import Subject

RESETS_ITSELF = define(
    "episode.resets_itself",
    proves="step() does not call reset(): the last observation of an episode is the one that ended it.",
    example="if terminated: self.reset()",
    remedy="Return the final observation and leave reset() to the caller.",
)
BOTH_FLAGS = define(
    "episode.both_flags",
    proves="An episode that reached a terminal state is not called cut short as well.",
    example="truncated = terminated or self.t >= 200",
    remedy="Return truncated = self.t >= limit and not terminated.",
)
FIRST_STEP = define(
    "episode.one_step",
    proves="Not every episode is over after its first step.",
    example="terminated = True",
    remedy="Return terminated=True only in a terminal state.",
)
RUNNING_TOTAL = define(
    "reward.running_total",
    proves="The reward is that of the step, not the sum so far.",
    example="self.total += reward; return obs, self.total, ...",
    remedy="Return the reward of this step alone; put the total into info.",
)


def check_resets_itself(subject: Subject) -> Iterator[Finding]:
    """Counts calls of reset() inside step()."""
    actions = actions_for(subject, "resets itself", subject.affordable(800))
    with subject.start() as candidate:
        answer = candidate.probe(f"{probing.__name__}.resets_itself", env=0, seed=3, actions=actions)
    if isinstance(answer, Value) and isinstance(answer.plain, int) and answer.plain >= 0:
        yield RESETS_ITSELF.error(
            "step() calls reset() when the episode ends: the observation it returns belongs to a new episode",
            evidence=f"seed 3, random actions, step {answer.plain}",
            line=subject.line_of("step"),
        )
        return
    with subject.start() as candidate:
        answer = candidate.probe(f"{restarting.__name__}.restarts", env=0, seed=3, actions=actions)
    if isinstance(answer, Value) and answer.plain:
        yield RESETS_ITSELF.error(
            f"step() calls {answer.plain}() when the episode ends, as reset() does: the observation it returns belongs "
            f"to a new episode",
            evidence="seed 3, random actions; steps that end nothing don't call it",
            line=subject.line_of(str(answer.plain)),
        )


def check_lengths(subject: Subject) -> Iterator[Finding]:
    """Lengths and flags of the finished episodes of every policy."""
    lengths, truncated, terminated = [], [], []
    for played in subject.played.values():
        for episode in np.flatnonzero(played.ended):
            last = played.rows_of(int(episode)).stop - 1
            lengths.append(int(played.step[last]) + 1)
            truncated.append(bool(played.truncated[last]))
            terminated.append(bool(played.terminated[last]))
    if len(lengths) < 10:
        return
    if max(lengths) == 1:
        if _moves(subject):  # a bandit's episodes have one step, and nothing moves in it
            yield FIRST_STEP.warning("every episode is over after its first step", line=subject.line_of_return("step"))
        return
    if sum(terminated) >= 3 and all(cut for cut, over in zip(truncated, terminated, strict=True) if over):
        yield BOTH_FLAGS.warning(
            "every episode that terminates is reported as truncated, too", line=subject.line_of_return("step")
        )


def _moves(subject: Subject) -> bool:
    """Whether the observation after the first step depends on the action."""
    with subject.start() as candidate:
        tapes = [record(subject, candidate, 3, [action]) for action in actions_for(subject, "moves", 8)]
    shown = [tape[1].observation for tape in tapes if isinstance(tape, list) and len(tape) > 1]
    return len({fingerprint(observation) for observation in shown if observation is not None}) > 1


def check_running_total(subject: Subject) -> Iterator[Finding]:
    """Finds the attribute that is returned as reward, and shifts it."""
    if subject.design is not None:
        return  # there the components' formulas decide
    name: object = ""
    with subject.start() as candidate:
        for seed in (3, 4):
            actions = actions_for(subject, f"running total {seed}", 4)
            answer = candidate.probe(f"{probing.__name__}.accumulates", env=0, seed=seed, actions=actions)
            if not isinstance(answer, Value) or not answer.plain:
                return
            name = answer.plain
    yield RUNNING_TOTAL.error(
        f"the reward is a running total (self.{name}): each step returns the sum so far",
        evidence="raising the attribute by 64 raises the next reward by 64",
        line=subject.line_of_return("step"),
    )
