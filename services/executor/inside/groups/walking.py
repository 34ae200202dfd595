"""Walks: single episodes in which every value that comes back is described, whatever it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kit.inside.candidate import Candidate, Space, Trouble, Value
from services.executor.inside.groups import probing
from services.executor.inside.subject import Subject

Choose = Callable[[int], object]


@dataclass(frozen=True)
class WalkStep:
    action: object
    answer: Value | Trouble


@dataclass(frozen=True)
class Walk:
    """One episode, or its first steps: what reset() and each step() returned, or what became of it."""

    seed: int | None
    start: Value | Trouble
    steps: tuple[WalkStep, ...]

    @property
    def trouble(self) -> Trouble | None:
        last = self.steps[-1].answer if self.steps else self.start
        return None if isinstance(last, Value) else last

    def evidence(self, step: int | None = None) -> str:
        """Where it was, so that it can be played again."""
        if step is None:
            return f"reset(seed={self.seed})"
        return f"seed {self.seed}, step {step}, action {shown(self.steps[step].action)}"


def shown(action: object) -> str:
    """An action as text, short."""
    return np.array2string(action, threshold=8, precision=4) if isinstance(action, np.ndarray) else repr(action)


def action_object(space: Space, row: np.ndarray) -> object:
    """What gymnasium's own sample() would give for this row."""
    if space.kind == "Discrete":
        return np.int64(np.asarray(row).reshape(-1)[0])
    dtype = "int8" if space.kind == "MultiBinary" else space.dtype
    return np.asarray(row).reshape(space.shape).astype(dtype)


def sampler(space: Space, rng: np.random.Generator) -> Choose:
    """A fresh random action for every step."""
    return lambda step: action_object(space, space.sample(rng, 1)[0])


def fixed(actions: list[object]) -> Choose:
    """These actions in turn, from the first again after the last."""
    return lambda step: actions[step % len(actions)]


def ends(answer: Value | Trouble) -> bool:
    """Whether the step's answer ends the episode; a flag that is no bool counts by its truth."""
    if not isinstance(answer, Value) or len(answer.items) != 5:
        return True
    return any(flag.plain is True or flag.plain == 1 for flag in answer.items[2:4])


def walk(
    candidate: Candidate, choose: Choose, limit: int, seed: int | None, env: int = 0, **reset_kwargs: object
) -> Walk:
    """reset(), then step() until the end or `limit`; of the infos only what they are."""
    seeded = {} if seed is None else {"seed": seed}
    start = candidate.reset(env, **seeded, **reset_kwargs)
    steps: list[WalkStep] = []
    if isinstance(start, Value):
        for step in range(limit):
            action = choose(step)
            answer = candidate.step(action, env, info=False)
            steps.append(WalkStep(action, answer))
            if ends(answer):
                break
    return Walk(seed, start, tuple(steps))


def measure_pace(subject: Subject, candidate: Candidate) -> Walk:
    """A first short walk, timed: how many steps the rest of the check can afford."""
    sample = sampler(subject.action, subject.rng("pace"))
    asked: list[float] = []

    def choose(step: int) -> object:
        asked.append(time.monotonic())
        return sample(step)

    first = walk(candidate, choose, 8, 0)
    asked.append(time.monotonic())
    # The quickest, since a busy machine makes steps slower and never quicker. What the candidate's own end says may
    # only lower it: who calls himself slow would be looked at less.
    subject.step_s = min((after - before for before, after in pairwise(asked)), default=0.0)
    claimed = candidate.probe(f"{probing.__name__}.quickest", env=0, seed=0, actions=[sample(0) for _ in range(8)])
    if isinstance(claimed, Value) and isinstance(claimed.plain, float) and claimed.plain >= 0.0:
        subject.step_s = min(subject.step_s, claimed.plain)
    return first
