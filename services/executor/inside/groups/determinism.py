"""Determinism: the seed decides everything, in this process and in others, and only the seed does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from kit.inside.candidate import Candidate, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups.contract import trouble_with
from services.executor.inside.groups.replaying import Tape, actions_for, difference, moment_of, record, told
from services.executor.inside.groups.unseeded import check_stuck
from services.executor.inside.groups.walking import action_object, ends
from services.executor.inside.subject import Subject

SEEDS = (7, 0, 2**31 - 5)  # 0 is a seed too
STEPS = 60
MOST_REPLAYED = 600

SEEDED = define(
    "determinism.seed",
    proves="The same seed and actions give the same episode, whatever the global generators hold.",
    example="self.x = np.random.uniform()",
    remedy="Draw everything random from self.np_random after super().reset(seed=seed); no space's sample().",
)
CONTINUED = define(
    "determinism.second_reset",
    proves="After reset(seed=...), the episodes that follow without a seed are reproducible too.",
    example="rng = self.np_random if seed is not None else np.random.default_rng()",
    remedy="Use self.np_random in every reset; super().reset(seed=None) keeps its stream.",
)
APART = define(
    "determinism.process",
    proves="Another process, with another hash seed, clock, command line and environ, plays the same episode.",
    example="for item in {'a', 'b', 'c'}: ...  # the order of a set of str differs",
    remedy="Don't iterate over sets of str (sort first), and don't use hash(), id(), the time, sys.argv or os.environ.",
)
HISTORY = define(
    "episode.history",
    proves="reset() forgets what was played before: a seed plays the same on a used instance as on a fresh one.",
    example="def reset(...): self.x = 0.0  # and self.t keeps counting",
    remedy="Set every attribute that step() changes again in reset().",
)
INSTANCES = define(
    "instances.independent",
    proves="Two instances share nothing: stepping one doesn't change the other.",
    example="def __init__(self, ledger={'stock': 0}):",
    remedy="Create mutable state in __init__; no mutable default arguments, class attributes or module globals.",
)


def check_seeds(subject: Subject) -> Iterator[Finding]:
    """Fresh instances in one process, then in others; then used and neighbouring instances."""
    actions = actions_for(subject, "determinism", min(STEPS, subject.affordable(600)))
    seeds = SEEDS if subject.step_s < 0.02 else SEEDS[:1]
    with subject.start(global_seed=1) as candidate:
        for number in range(1, 4):
            if (trouble := candidate.make(number, subject.kwargs)) is not None:
                yield trouble_with(trouble, "a further instance in one process")
                return
        for seed in seeds:
            reference = record(subject, candidate, seed, actions, 0, episodes=2)
            again = record(subject, candidate, seed, actions, 1, episodes=2)
            for tape in (reference, again):
                if not isinstance(tape, list):
                    yield trouble_with(tape, f"seed {seed}, random actions, two episodes")
                    return
            assert isinstance(reference, list) and isinstance(again, list)
            found = list(_same(subject, seed, reference, again, "twice in one process"))
            if found and found[0].check == SEEDED.id and _alone_alike(subject, seed, actions, (reference, again)):
                # Fresh instances share something; those that have played already remember something.
                fresh = seed == seeds[0]
                found = [_shares(subject, found[0]) if fresh else _remembers(subject, seed, found[0].evidence)]
            if not found:
                found = list(_used(subject, candidate, seed, actions, reference))
            if not found and seed == seeds[0]:
                found = list(_after_an_end(subject, candidate, seed, actions, reference))
            yield from found
            if found:
                return
        reference = record(subject, candidate, seeds[0], actions, 0, episodes=2)
    if isinstance(reference, list):
        yield from _elsewhere(subject, seeds[0], actions, reference)


def _same(subject: Subject, seed: int, one: Tape, other: Tape, how: str) -> Iterator[Finding]:
    pair = difference(one, other)
    if pair is None:
        return
    first_episode = pair[0].place.startswith("episode 0")
    check = SEEDED if first_episode else CONTINUED
    which = f"reset(seed={seed})" if first_episode else f"reset(seed={seed}); reset()"
    method = "reset" if pair[0].place.endswith("reset") else "step"
    yield check.error(
        f"{which} {how} gives different episodes for the same actions",
        evidence=f"seed {seed}, {told(pair)}",
        line=subject.line_of(method),
    )


def _alone_alike(subject: Subject, seed: int, actions: list[object], tapes: tuple[Tape, Tape]) -> bool:
    """Whether a fresh instance in another process plays as one of these: then it is not chance that differs."""
    with subject.start(global_seed=4) as candidate:
        alone = record(subject, candidate, seed, actions, 0, episodes=2)
    return isinstance(alone, list) and any(difference(tape, alone) is None for tape in tapes)


def _shares(subject: Subject, found: Finding) -> Finding:
    return INSTANCES.error(
        "a second instance plays another episode than the first, from the same seed: they share something",
        evidence=found.evidence,
        line=subject.line_of("__init__"),
    )


def _used(
    subject: Subject, candidate: Candidate, seed: int, actions: list[object], reference: Tape
) -> Iterator[Finding]:
    first = [moment for moment in reference if moment.place.startswith("episode 0")]
    for _ in range(2):  # a whole episode and an unfinished one lie behind it
        used = record(subject, candidate, seed, actions, 1)
        if isinstance(used, list) and (pair := difference(first, used)) is not None:
            lengths = (
                f"a fresh instance plays {len(first) - 1} steps, a used one {len(used) - 1}; "
                if len(first) != len(used)
                else ""
            )
            yield _remembers(subject, seed, f"seed {seed}, {lengths}{told(pair)}")
            return
        record(subject, candidate, None, actions[: len(actions) // 2], 1)
    tape = _beside_another(subject, candidate, seed, actions)
    alone = record(subject, candidate, seed, actions, 2)
    if isinstance(tape, list) and (pair := difference(first, tape)) is not None:
        if isinstance(alone, list) and (pair_alone := difference(first, alone)) is not None:
            yield _remembers(subject, seed, f"seed {seed}, {told(pair_alone)}")
            return
        yield INSTANCES.error(
            "stepping one instance changes another",
            evidence=f"seed {seed}, {told(pair)}",
            line=subject.line_of("__init__"),
        )


def _remembers(subject: Subject, seed: int, evidence: str) -> Finding:
    return HISTORY.error(
        f"reset(seed={seed}) on a used instance gives another episode than on a fresh one",
        evidence=evidence,
        line=subject.line_of("reset"),
    )


def _after_an_end(
    subject: Subject, candidate: Candidate, seed: int, actions: list[object], reference: Tape
) -> Iterator[Finding]:
    """The same, after the shortest episodes that were seen to terminate and to be truncated."""
    first = [moment for moment in reference if moment.place.startswith("episode 0")]
    for flags in ("terminated", "truncated"):
        way = _way_to_an_end(subject, flags)
        if way is None:
            continue
        record(subject, candidate, way[0], way[1], 1)
        used = record(subject, candidate, seed, actions, 1)
        if isinstance(used, list) and (pair := difference(first, used)) is not None:
            yield _remembers(subject, seed, f"seed {seed}, after an episode that was {flags}; {told(pair)}")
            return


def _way_to_an_end(subject: Subject, flags: str) -> tuple[int, list[object]] | None:
    """Seed and actions of the shortest recorded episode that ended so, of the first policy that had any.

    Of the first: what comes after it may be spoilt already.
    """
    best: tuple[int, list[object]] | None = None
    for played in subject.played.values():
        if best is not None:
            break
        ended: np.ndarray = getattr(played, flags)
        for row in np.flatnonzero(ended)[:50]:
            rows = played.rows_of(int(played.episode[row]))
            if rows.stop - rows.start < (len(best[1]) if best else MOST_REPLAYED):
                seed = int(played.seeds[int(played.episode[row])])
                best = seed, [action_object(subject.action, action) for action in played.actions[rows]]
    return best


def _beside_another(subject: Subject, candidate: Candidate, seed: int, actions: list[object]) -> Tape | None:
    """The episode on instance 2, while instance 3 is played between its steps."""
    tape: Tape = []
    answer = candidate.reset(2, seed=seed)
    other = candidate.reset(3, seed=seed + 1)
    if not isinstance(answer, Value) or not isinstance(other, Value):
        return None
    tape.append(moment_of(subject, "episode 0, reset", answer))
    for step, action in enumerate(actions):
        answer = candidate.step(action, 2)
        if not isinstance(answer, Value):
            return None
        tape.append(moment_of(subject, f"episode 0, step {step}", answer))
        if ends(answer):
            break
        other = candidate.step(actions[-1 - step], 3)
        if not isinstance(other, Value) or ends(other):
            candidate.reset(3)
    return tape


def _elsewhere(subject: Subject, seed: int, actions: list[object], reference: Tape) -> Iterator[Finding]:
    with subject.start(global_seed=2) as candidate:
        other = record(subject, candidate, seed, actions, 0, episodes=2)
        if isinstance(other, list) and (pair := difference(reference, other)) is not None:
            yield SEEDED.error(
                f"reset(seed={seed}) gives another episode where Python's and NumPy's global generators differ",
                evidence=f"seed {seed}, {told(pair)}",
            )
            return
        yield from check_stuck(subject, candidate, actions)
    with subject.start(apart=True, global_seed=3) as candidate:
        other = record(subject, candidate, seed, actions, 0, episodes=2)
        if isinstance(other, list) and (pair := difference(reference, other)) is not None:
            yield APART.error(
                f"reset(seed={seed}) gives another episode in a process with another hash seed",
                evidence=f"seed {seed}, {told(pair)}",
            )
