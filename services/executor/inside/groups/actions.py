"""Actions: every form in which algorithms send them, and that they make a difference, at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kit.contracts.findings import Finding
from kit.inside.candidate import Candidate, Raised, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import trying
from services.executor.inside.groups.incentives import choices_of
from services.executor.inside.groups.replaying import Tape, actions_for, difference, fingerprint, record, told
from services.executor.inside.groups.walking import action_object, shown
from services.executor.inside.subject import Subject

SEEDS = (21, 22, 23, 24)
STEPS = 30
MOST_ALIKE = 8  # choices that are compared with one another
ALIKE_STATES = 400
FEWEST_ALIKE = 100

TYPES = define(
    "action.types",
    proves="int, numpy.int64 and zero-dimensional arrays mean the same action.",
    example="self.moves[action] if isinstance(action, int) else self.moves[0]",
    remedy="Start step() with action = int(action).",
)
IGNORED = define(
    "action.ignored",
    proves="What the agent does changes what happens.",
    example="def step(self, action): level = 1 if self.inside < 21 else 0",
    remedy="Use `action` in step().",
)
PART_IGNORED = define(
    "action.part_ignored",
    proves="Every part of the action changes something.",
    example="dr, dc = moves[action[0]]  # action[1] is never read",
    remedy="Use this part of the action in step(), or leave it out of the action space.",
)
ALIKE = define(
    "action.alike",
    proves="No two actions always do the same.",
    example="shift = 4 * abs(int(action) - 1)  # left is right",
    remedy="Give each action an effect of its own, or leave out what does nothing.",
)
LATE_OBSERVATION = define(
    "observation.late",
    proves="The observation is taken after the action is applied.",
    example="seen = self._obs(); self.x += action; return seen, ...",
    remedy="Compute the observation at the end of step().",
)
LATE_REWARD = define(
    "reward.late",
    proves="The reward of a step depends on the action of that step.",
    example="gap = abs(self.x - self.goal); self.x += action; reward = -gap",
    remedy="Compute the reward after the transition, from the new state.",
)


def check_types(subject: Subject) -> Iterator[Finding]:
    """Only Discrete actions come in several forms."""
    if subject.action.kind != "Discrete":
        return
    plain = [int(action) for action in actions_for(subject, "types", STEPS)]  # type: ignore[call-overload]
    forms: dict[str, list[object]] = {
        "numpy.int64": [np.int64(a) for a in plain],
        "zero-dimensional array": [np.array(a) for a in plain],
    }
    with subject.start() as candidate:
        for seed in SEEDS[:2]:
            reference = record(subject, candidate, seed, plain)
            if isinstance(reference, Raised):
                yield TYPES.of(reference, f"step({plain[0]}) with an int raised, although numpy.int64 works")
                return
            for name, actions in forms.items():
                tape = record(subject, candidate, seed, actions)
                if isinstance(tape, Raised):
                    yield _refused(subject, name, tape, f"seed {seed}")
                elif isinstance(tape, list) and isinstance(reference, list) and (pair := difference(reference, tape)):
                    yield TYPES.error(
                        f"an action given as {name} has another effect than the same int",
                        evidence=f"seed {seed}, {told(pair)}",
                        line=subject.line_of("step"),
                    )
                    return


def _refused(subject: Subject, name: str, tape: Raised, evidence: str) -> Finding:
    """Vector environments send numpy.int64; predict() on a single observation gives a zero-dimensional array."""
    found = TYPES.of(tape, f"step() raised for an action given as {name}", evidence)
    if name == "numpy.int64":
        return found
    if subject.owns_step:
        return TYPES.warning(found.message, line=found.line, traceback=found.traceback, evidence=evidence)
    return TYPES.note(found.message, evidence=evidence, remedy="Call step(int(action)) after predict().")


def check_effect(subject: Subject) -> Iterator[Finding]:
    """The same seeds under different actions: what moves, and when."""
    if not subject.action.numeric:
        return
    steps = min(STEPS, subject.affordable(400))
    with subject.start() as candidate:
        choices = choices_of(subject)
        tapes = {seed: [record(subject, candidate, seed, [choice] * steps) for choice in choices] for seed in SEEDS}
        sound = {seed: [t for t in found if isinstance(t, list)] for seed, found in tapes.items()}
        if any(len(found) != len(choices) for found in sound.values()) or len(choices) < 2:
            return
        if not any(difference(found[0], tape) for found in sound.values() for tape in found[1:]):
            mixed = [record(subject, candidate, seed, actions_for(subject, f"mixed {seed}", steps)) for seed in SEEDS]
            same = all(
                isinstance(m, list) and not difference(sound[s][0], m) for s, m in zip(SEEDS, mixed, strict=True)
            )
            if same:
                yield IGNORED.error(
                    f"{len(choices)} different actions give identical episodes from a seed: the action is not used",
                    evidence=f"seeds {SEEDS}, actions {', '.join(shown(choice) for choice in choices[:4])}",
                    line=subject.line_of("step"),
                )
                return
        yield from _check_inside(subject, candidate, steps)
        yield from _check_parts(subject, candidate, steps)
        effects = _effects(subject, candidate)
        yield from _check_alike(subject, effects)
        yield from _check_late(subject, sound, effects)


@dataclass(frozen=True)
class Effects:
    """What the choice of an action changed in many states: see trying.effects. None where that could not be tried."""

    seen: bool | None = None
    paid: bool | None = None
    alike: tuple[tuple[int, int], ...] = ()
    states: int = 0


def _effects(subject: Subject, candidate: Candidate) -> Effects:
    answer = candidate.probe(
        f"{trying.__name__}.effects", env=0, seconds=10.0,
        seeds=list(range(41, 61)), choices=choices_of(subject, MOST_ALIKE), states=ALIKE_STATES,
        compare=_comparable(subject), budget_s=1.2,
    )  # fmt: skip
    if not isinstance(answer, Value):
        return Effects()
    seen, paid, alike, states = (answer.get(name) for name in ("seen", "paid", "alike", "states"))
    pairs = [tuple(one.plain for one in pair.items) for pair in alike.items] if alike else []
    return Effects(
        seen is not None and seen.plain is True,
        paid is not None and paid.plain is True,
        tuple((int(pair[0]), int(pair[1])) for pair in pairs if len(pair) == 2),  # type: ignore[call-overload]
        int(states.plain) if states and isinstance(states.plain, int) else 0,
    )


def _comparable(subject: Subject) -> bool:
    """Only single choices: of vectors, each part is looked at by itself, and designs say what each action does."""
    return subject.action.kind == "Discrete" and subject.design is None


def _check_alike(subject: Subject, effects: Effects) -> Iterator[Finding]:
    if not _comparable(subject) or effects.states < FEWEST_ALIKE:
        return
    for one, other in effects.alike[:1]:
        first = int(subject.action.low)
        yield ALIKE.warning(
            f"actions {first + one} and {first + other} do the same in all of {effects.states} states",
            evidence="each was tried on a copy of the environment, along random episodes",
            line=subject.line_of("step"),
        )


def _check_inside(subject: Subject, candidate: Candidate, steps: int) -> Iterator[Finding]:
    """Continuous actions strictly inside their bounds: each kept for an episode."""
    space = subject.action
    if space.kind != "Box" or not space.dtype.startswith("float"):
        return
    low, high = space.finite
    for seed in SEEDS:
        rows = [low + share * (high - low) for share in (0.1, 0.3, 0.7, 0.9)]
        tapes = [record(subject, candidate, seed, [action_object(space, row)] * steps) for row in rows]
        if any(not isinstance(tape, list) or difference(tapes[0], tape) for tape in tapes):  # type: ignore[arg-type]
            return
    yield IGNORED.warning(
        "all actions strictly inside the bounds do the same: the action is rounded away",
        remedy="Use the action as the float that it is; no int() or round() around it.",
        evidence=f"seeds {SEEDS}",
        line=subject.line_of("step"),
    )


def _check_parts(subject: Subject, candidate: Candidate, steps: int) -> Iterator[Finding]:
    """Each part of a vector action varied alone, on top of random ones."""
    space = subject.action
    if space.kind == "Discrete" or space.size < 2 or space.size > 40:
        return
    low, high = space.finite if space.kind == "Box" else (np.asarray(space.low), np.asarray(space.high))
    for part in range(space.size):
        moved = False
        for seed in SEEDS:
            base = space.sample(subject.rng(f"part {seed}"), steps).reshape(steps, -1)
            variants = []
            for bound in (low, high):
                rows = base.copy()
                rows[:, part] = bound.reshape(-1)[part]
                variants.append(record(subject, candidate, seed, [action_object(space, row) for row in rows]))
            if not all(isinstance(variant, list) for variant in variants) or difference(*variants):  # type: ignore[arg-type]
                moved = True
                break
        if not moved and not _moved_later(subject, candidate, part):
            yield PART_IGNORED.warning(
                f"part {part} of the action changes nothing: its lowest and highest value give identical episodes",
                evidence=f"seeds {SEEDS}",
                line=subject.line_of("step"),
            )


def _moved_later(subject: Subject, candidate: Candidate, part: int) -> bool:
    """The same over many more and longer episodes: a part may matter in few states."""
    space = subject.action
    low, high = space.finite if space.kind == "Box" else (np.asarray(space.low), np.asarray(space.high))
    steps = min(150, subject.affordable(150))
    for seed in range(61, 73):
        base = space.sample(subject.rng(f"part later {seed}"), steps).reshape(steps, -1)
        tapes = []
        for bound in (low, high):
            rows = base.copy()
            rows[:, part] = bound.reshape(-1)[part]
            tapes.append(record(subject, candidate, seed, [action_object(space, row) for row in rows]))
        if not all(isinstance(tape, list) for tape in tapes) or difference(*tapes):  # type: ignore[arg-type]
            return True
    return False


def _check_late(subject: Subject, tapes: dict[int, list[Tape]], effects: Effects) -> Iterator[Finding]:
    """Whether the first step shows nothing of the first action, and the second does."""
    groups = list(tapes.values())
    if any(len(tape) < 4 for tapes_ in groups for tape in tapes_):
        groups = [g for g in groups if all(len(tape) >= 4 for tape in g)]
    if len(groups) < 2:
        return
    start = [[_seen(tape, 0) for tape in group] for group in groups]
    first = [[_seen(tape, 1) for tape in group] for group in groups]
    second = [[_seen(tape, 2) for tape in group] for group in groups]
    still = all(
        f == s for starts, firsts in zip(start, first, strict=True) for s, f in zip(starts, firsts, strict=True)
    )
    depends = any(len(set(group)) > 1 for group in second)
    if still and depends and not effects.seen:
        yield LATE_OBSERVATION.error(
            "the observation after the first step equals the one before it, whatever the action, which shows only a "
            "step later: it is read before the transition",
            evidence=f"seeds {tuple(tapes)}",
            line=subject.line_of("step"),
        )
        return
    paid = [[str(tape[1].reward) for tape in group] for group in groups]
    later = [[str(tape[2].reward) for tape in group] for group in groups]
    every = {str(moment.reward) for group in groups for tape in group for moment in tape[1:]}
    now_same = all(len(set(group)) == 1 for group in paid)
    then_differs = all(len(set(group)) > 1 for group in later)
    seen_at_once = all(len(set(group)) > 1 for group in first)
    if now_same and then_differs and seen_at_once and len(every) > 20 and not effects.paid:
        yield LATE_REWARD.warning(
            "the reward of a step does not depend on its action, only the next one does: it is computed before the "
            "transition",
            evidence=f"seeds {tuple(tapes)}: the first reward is the same for all actions, the second is not",
            line=subject.line_of("step"),
        )


def _seen(tape: Tape, moment: int) -> bytes:
    observation = tape[moment].observation
    return b"" if observation is None else fingerprint(observation)
