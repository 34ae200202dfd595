"""Masks of an environment without a design: what action_masks() must be for a masked algorithm to take it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from kit.inside.candidate import Raised, Space, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import trying
from services.executor.inside.groups.walking import action_object, ends
from services.executor.inside.subject import Subject

EPISODES = 3
STEPS = 60
MOST_CHOICES = 12

MASKS = define(
    "action.masks",
    proves="action_masks() has one entry for every choice, and always leaves one legal.",
    example="return np.zeros(self.action_space.n, bool)",
    remedy="Return a bool array as long as all choices side by side, with at least one True for each term.",
)


LATE = define(
    "action.masks_late",
    proves="action_masks() describes the state that the next action is taken in.",
    example="self.legal = self._legal(); ...  # and then the move, which changes what is legal",
    remedy="Compute the mask from the present state when it is asked for.",
)
FEWEST = 30  # states


def check_late_masks(subject: Subject) -> Iterator[Finding]:
    """Whether masks tell what had an effect a step before, and not what has one now. Each choice is tried on a copy."""
    if subject.design is not None or subject.action.kind != "Discrete" or subject.line_of("action_masks") is None:
        return
    choices = [int(n) for n in range(int(subject.action.low), int(subject.action.high) + 1)]
    if len(choices) > MOST_CHOICES:
        return
    with subject.start() as candidate:
        answer = candidate.probe(
            f"{trying.__name__}.masks_and_effects", env=0, seconds=10.0, seeds=list(range(81, 87)), choices=choices,
            steps=40, budget_s=1.0,
        )  # fmt: skip
    if not isinstance(answer, Value):
        return
    now, before, states = (getattr(answer.get(name), "plain", 0) for name in ("now", "before", "states"))
    told = all(isinstance(one, int) for one in (now, before, states))
    if told and states >= FEWEST and before >= 0.98 * states and now < 0.9 * states:
        yield LATE.error(
            f"in {states} states the mask fits the state before in {before} and the present one in {now}",
            evidence="of each choice it was tried on a copy whether anything that is observed changes",
            line=subject.line_of("action_masks"),
        )


def check_masks(subject: Subject) -> Iterator[Finding]:
    """Along random legal episodes. With a design, its legality tells more."""
    widths = _widths(subject.action)
    if subject.design is not None or not widths:
        return
    rng = subject.rng("masks")
    with subject.start() as candidate:
        for seed in range(EPISODES):
            candidate.reset(0, seed=seed)
            for step in range(min(STEPS, subject.affordable(STEPS))):
                answer = candidate.action_masks(0)
                if isinstance(answer, Raised) and answer.kind == "AttributeError" and "action_masks" in answer.message:
                    return
                line, where = subject.line_of("action_masks"), f"seed {seed}, before step {step}"
                if not isinstance(answer, Value):
                    yield MASKS.of(answer, "action_masks() raised", where)
                    return
                mask = _mask(answer)
                if mask is None or mask.shape != (sum(widths),):
                    yield MASKS.error(
                        f"action_masks() returned {answer}, expected {sum(widths)} bools", evidence=where, line=line
                    )
                    return
                factors = np.split(mask, np.cumsum(widths)[:-1])
                if not all(factor.any() for factor in factors):
                    yield MASKS.error("action_masks() leaves no choice legal", evidence=where, line=line)
                    return
                row = [int(rng.choice(np.flatnonzero(factor))) for factor in factors]
                if ends(candidate.step(action_object(subject.action, np.array(row)))):
                    break


def _widths(space: Space) -> list[int]:
    """How many choices each term has; empty where nothing can be masked."""
    if space.kind in ("Discrete", "MultiDiscrete"):
        return [int(n) for n in np.atleast_1d(space.high - space.low + 1)]
    return [2] * space.size if space.kind == "MultiBinary" else []


def _mask(answer: Value) -> np.ndarray | None:
    """As algorithms read it: an array, or a list of bools, flattened."""
    if answer.kind == "list":
        plain = [item.plain for item in answer.items]
        return np.array(plain, dtype=bool) if all(isinstance(one, (bool, int)) for one in plain) else None
    array = answer.array if answer.kind == "ndarray" else None
    return None if array is None or array.dtype.kind not in "biuf" else array.reshape(-1).astype(bool)
