"""One time step of a batch as the judge reads it: columns of the right length, or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kit.inside.candidate.troubles import Raised
from kit.inside.candidate.values import Value, dtype_name

Columns = dict[str, np.ndarray]


@dataclass
class Moment:
    """episodes: which episode each row belongs to. observations: (rows, size), flattened; float64, uint8 of an image.

    rewards, terminated, truncated: (rows,), empty for a reset. masks: of the episodes that go on, or None.
    dtypes: what the observation, and the reward and flags, came as.
    """

    episodes: np.ndarray
    observations: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    state: Columns
    components: Columns
    endings: list[str | None]
    masks: np.ndarray | None
    dtypes: dict[str, str] = field(default_factory=dict)

    @property
    def done(self) -> np.ndarray:
        done: np.ndarray = self.terminated | self.truncated
        return done

    @property
    def bytes(self) -> int:
        tables = (self.state, self.components)
        return self.observations.nbytes + sum(column.nbytes for table in tables for column in table.values())

    @property
    def complete(self) -> bool:
        """Whether a step's flags and rewards are there for every row."""
        return all(len(column) == len(self.episodes) for column in (self.rewards, self.terminated, self.truncated))

    def differs_from(self, start: Moment, where: str) -> Raised | None:
        """The first column whose shape is not what it was after reset()."""
        if self.observations.shape[1:] != start.observations.shape[1:]:
            width, before = self.observations.shape[1], start.observations.shape[1]
            return Raised(
                where, "Malformed.observation", f"the observation has {width} numbers, after reset() {before}"
            )
        for name, column in self.state.items():
            if name in start.state and column.shape[1:] != start.state[name].shape[1:]:
                shapes = f"{column.shape[1:]}, after reset() {start.state[name].shape[1:]}"
                return Raised(where, "Malformed.info", f'info["state"]["{name}"] has shape {shapes}')
        if self.masks is not None and start.masks is not None and self.masks.shape[1:] != start.masks.shape[1:]:
            return Raised(where, "Malformed.info", "action_masks() changes its length")
        return None


def unpack(answer: Value, episodes: np.ndarray, keys: Sequence[str] = ()) -> Moment:
    """From what step_many or reset_many answered. keys: in which order a dict observation is flattened."""
    rows = len(episodes)
    endings = answer.get("endings")
    names = [item.plain if isinstance(item.plain, str) else None for item in endings.items] if endings else []
    observations, dtype = _flat(answer.get("observations"), rows, keys)
    types = answer.get("types")
    masks = _array(answer.get("masks"))
    return Moment(
        episodes,
        observations,
        _column(answer, "rewards", np.float64),
        _column(answer, "terminated", bool),
        _column(answer, "truncated", bool),
        _table(answer.get("state"), rows),
        {name: column for name, column in _table(answer.get("reward_components"), rows).items() if column.ndim == 1},
        names if len(names) == rows else [],
        masks if masks is not None and masks.ndim == 2 else None,
        {"observation": dtype, "reward and flags": ", ".join(str(item.plain) for item in types.items) if types else ""},
    )


def _array(value: Value | None) -> np.ndarray | None:
    return value.plain if value is not None and isinstance(value.plain, np.ndarray) else None


def _column(answer: Value, name: str, dtype: type) -> np.ndarray:
    found = _array(answer.get(name))
    return found.astype(dtype) if found is not None and found.ndim == 1 else np.zeros(0, dtype)


def _flat(value: Value | None, rows: int, keys: Sequence[str] = ()) -> tuple[np.ndarray, str]:
    """(rows, size) and the dtypes it came as; of a dict its parts side by side: in the order of `keys`, others last.

    float64, but for images, which would be eight times as large.
    """
    if value is not None and value.kind == "dict" and value.entries:
        named = {str(name.plain): part for name, part in value.entries}
        ordered = [*(key for key in keys if key in named), *(name for name in named if name not in keys)]
        parts = [_flat(named[name], rows) for name in ordered]
        return np.concatenate([part for part, _ in parts], axis=1), ", ".join(dtype for _, dtype in parts)
    array = _array(value)
    if array is None or array.ndim == 0 or len(array) != rows:
        return np.zeros((rows, 0)), ""
    flat = array.reshape(rows, -1)
    return flat if flat.dtype == np.uint8 else flat.astype(np.float64), dtype_name(array.dtype)


def _table(value: Value | None, rows: int) -> Columns:
    if value is None or value.kind != "dict":
        return {}
    found = {str(name.plain): _array(column) for name, column in value.entries}
    return {n: column for n, column in found.items() if column is not None and column.ndim and len(column) == rows}
