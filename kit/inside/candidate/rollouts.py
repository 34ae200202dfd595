"""Whole episodes of many instances stepped together, one message a time step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kit.inside.candidate.judge import Candidate
from kit.inside.candidate.moments import unpack
from kit.inside.candidate.trajectories import Part, Trajectories, join
from kit.inside.candidate.troubles import Died, Raised, Trouble
from kit.inside.candidate.values import Value

MAX_BYTES = 256 * 2**20
BATCH = 100


@dataclass(frozen=True)
class Seen:
    """What a policy decides on: one row for each episode that goes on.

    observations: (k, size), flattened; float64, or uint8 of an image. masks: (k, choices) or None.
    seeds: (k,). step: counts from 0.
    """

    observations: np.ndarray
    masks: np.ndarray | None
    seeds: np.ndarray
    step: int


Policy = Callable[[Seen], np.ndarray]
"""(k, width of an action), one row for each episode that goes on."""


@dataclass(frozen=True)
class Rollout:
    """What was collected, and the trouble that stopped it, if any, with its seed and step (-1: in reset)."""

    trajectories: Trajectories | None
    trouble: Trouble | None = None
    seed: int | None = None
    step: int = 0


@dataclass(frozen=True)
class Terms:
    """How episodes are played: form, masks and keys as in rollout(); reset_kwargs beside the seed."""

    form: str
    max_steps: int
    masks: bool
    infos: bool
    reset_kwargs: dict[str, object]
    keys: tuple[str, ...]
    kwargs: dict[str, object]


Stopped = tuple[Trouble, int | None, int]


def rollout(
    candidate: Candidate,
    policy: Policy,
    seeds: Sequence[int],
    form: str,
    max_steps: int,
    *,
    masks: bool = False,
    options: Mapping[str, object] | None = None,
    kwargs: Mapping[str, object] | None = None,
    infos: bool = True,
    keys: Sequence[str] = (),
) -> Rollout:
    """Every seed's episode to its end, or to max_steps. form: how a row becomes an action (Space.form).

    Seeds beyond BATCH are played in turns. Instances 0 .. BATCH-1 of the candidate are made as needed,
    with kwargs, and used again by the next rollout. infos: collect state, components and endings.
    keys: in which order a dict observation is flattened.
    """
    extra: dict[str, object] = {} if options is None else {"options": dict(options)}
    terms = Terms(form, max_steps, masks, infos, extra, tuple(keys), dict(kwargs or {}))
    parts: list[Part] = []
    for first in range(0, len(seeds), BATCH):
        part = Part(np.asarray(seeds[first : first + BATCH], dtype=np.int64))
        parts.append(part)
        stopped = _play(candidate, policy, part, terms)
        if stopped is not None:
            return Rollout(join(parts), *stopped)
    return Rollout(join(parts))


def _play(candidate: Candidate, policy: Policy, part: Part, terms: Terms) -> Stopped | None:
    """Fill the part; None, or what stopped it, with seed and step."""
    seeds = part.seeds
    part.ended = np.zeros(len(seeds), dtype=bool)
    if (trouble := candidate.ensure(len(seeds), terms.kwargs)) is not None:
        return trouble, None, -1
    going = np.arange(len(seeds))
    resets = [{"seed": int(seed), **terms.reset_kwargs} for seed in seeds]
    answer = candidate.reset_many(going.tolist(), resets, terms.masks, terms.infos)
    if not isinstance(answer, Value):
        return answer, _seed(answer, seeds), -1
    part.start = unpack(answer, going, terms.keys)
    observations, masks, size = part.start.observations, part.start.masks, 0
    for step in range(terms.max_steps):
        actions = np.asarray(policy(Seen(observations, masks, seeds[going], step)))
        answer = candidate.step_many(going.tolist(), actions, terms.form, terms.masks, terms.infos)
        if not isinstance(answer, Value):
            return answer, _seed(answer, seeds[going]), step
        moment = unpack(answer, going, terms.keys)
        if not moment.complete:
            candidate.end()
            return Died("step", "it broke the protocol (columns of the wrong length)"), None, step
        if (different := moment.differs_from(part.start, "step")) is not None:
            return different, int(seeds[going[0]]), step
        part.moments.append(moment)
        part.actions.append(actions.reshape(len(going), -1).astype(np.float64))
        part.ended[going[moment.done]] = True
        size += moment.bytes
        if size > MAX_BYTES:
            return Raised("step", "Malformed.info", f"the states of {step + 1} steps take {size} bytes"), None, step
        going, observations, masks = going[~moment.done], moment.observations[~moment.done], moment.masks
        if not len(going):
            break
        if masks is not None and len(masks) != len(going):
            masks = None
    return None


def _seed(trouble: Trouble, seeds: np.ndarray) -> int | None:
    index = getattr(trouble, "index", None)
    return int(seeds[index]) if index is not None and 0 <= index < len(seeds) else None
