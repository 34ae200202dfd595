"""The candidate's end: what many instances returned in one time step, as columns with one row an instance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kit.inside.candidate.values import PLAIN_KINDS, type_name

Column = np.ndarray
_BOOLS = (bool, np.bool_)
_NUMBERS = (bool, int, float, np.number, np.bool_)
_PLAIN = {bool, int, float, np.float32, np.float64, np.int64}  # what nearly all are


class Malformed(Exception):
    """One instance returned something that is no row of a column; index says which instance.

    part: what it is about: "reset", "step", "observation", "reward", "flag" or "info".
    """

    def __init__(self, part: str, index: int, why: str) -> None:
        super().__init__(why)
        self.part = part
        self.index = index


def pack_resets(results: Sequence[object], infos: bool) -> dict[str, object]:
    """Columns of (obs, info) pairs."""
    for index, result in enumerate(results):
        if not isinstance(result, tuple) or len(result) != 2:
            raise Malformed("reset", index, f"reset() returned {_shape_of(result)}, expected a tuple (obs, info)")
    return {
        "observations": _observations([r[0] for r in results]),  # type: ignore[index]
        **_infos([r[1] for r in results], infos),  # type: ignore[index]
    }


def pack_steps(results: Sequence[object], with_infos: bool) -> dict[str, object]:
    """Columns of (obs, reward, terminated, truncated, info) tuples."""
    for index, result in enumerate(results):
        if not isinstance(result, tuple) or len(result) != 5:
            raise Malformed("step", index, f"step() returned {_shape_of(result)}, expected a tuple of 5")
    observations, rewards, terminated, truncated, infos = zip(*results, strict=True)
    for what, flags in (("terminated", terminated), ("truncated", truncated)):
        for index, flag in enumerate(flags):
            if type(flag) not in _BOOLS:
                raise Malformed("flag", index, f"{what} is a {type_name(flag)}, expected a bool")
    return {
        "observations": _observations(observations),
        "rewards": _numbers("the reward", rewards),
        "types": sorted(
            {type_name(value) for value in {type(v): v for v in (*rewards, *terminated, *truncated)}.values()}
        ),
        "terminated": np.array(terminated, dtype=bool),
        "truncated": np.array(truncated, dtype=bool),
        **_infos(infos, with_infos),
    }


def _shape_of(result: object) -> str:
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}"
    return f"a {type_name(result)}"


def _observations(observations: Sequence[object]) -> object:
    first = observations[0]
    if isinstance(first, dict):
        return {str(key): _observations([_entry(o, key, i) for i, o in enumerate(observations)]) for key in first}
    return _column("the observation", observations)


def _entry(observation: object, key: object, index: int) -> object:
    if not isinstance(observation, dict) or key not in observation:
        raise Malformed("observation", index, f"the observation has no entry {key!r}")
    return observation[key]


def _infos(infos: Sequence[object], wanted: bool) -> dict[str, object]:
    """The columns of what Gymwright's environments put in info; absent where the info has none of it."""
    for index, info in enumerate(infos):
        if not isinstance(info, dict):
            raise Malformed("info", index, f"info is a {type_name(info)}, expected a dict")
    columns: dict[str, object] = {}
    if not wanted:
        return columns
    for name in ("state", "reward_components"):
        if any(name in info for info in infos):  # type: ignore[operator]
            columns[name] = _table(f'info["{name}"]', [info.get(name) for info in infos])  # type: ignore[attr-defined]
    if any("ending" in info for info in infos):  # type: ignore[operator]
        columns["endings"] = [_ending(info.get("ending"), i) for i, info in enumerate(infos)]  # type: ignore[attr-defined]
    return columns


def _table(what: str, rows: Sequence[object]) -> dict[str, Column]:
    first: dict[object, object] = {}
    checked: list[dict[object, object]] = []
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise Malformed("info", index, f"{what} is a {type_name(row)}, expected a dict")
        first = first or row
        if row.keys() != first.keys():
            keys = f"{sorted(map(str, row))}, before {sorted(map(str, first))}"
            raise Malformed("info", index, f"{what} has the keys {keys}")
        checked.append(row)
    return {str(name): _column(f"{what}[{name!r}]", [row[name] for row in checked]) for name in first}


def _ending(value: object, index: int) -> str | None:
    if value is None or isinstance(value, str):
        return value if value is None else str(value)[:100]
    raise Malformed("info", index, f'info["ending"] is a {type_name(value)}, expected a name or None')


def _column(what: str, values: Sequence[object]) -> Column:
    first = values[0]
    if not isinstance(first, np.ndarray):
        return _numbers(what, values)
    for index, value in enumerate(values):
        if type(value) is not np.ndarray:
            raise Malformed(_part(what), index, f"{what} is a {type_name(value)}, expected an array")
        if value.shape != first.shape or value.dtype != first.dtype or value.dtype.kind not in PLAIN_KINDS:
            raise Malformed(
                _part(what),
                index,
                f"{what} is of {value.dtype} and shape {value.shape}, before {first.dtype} and {first.shape}",
            )
    return np.concatenate(values, axis=None).reshape(len(values), *first.shape)  # type: ignore[arg-type]


def _numbers(what: str, values: Sequence[object]) -> Column:
    for index, value in () if set(map(type, values)) <= _PLAIN else enumerate(values):
        if not isinstance(value, _NUMBERS) and not (isinstance(value, np.ndarray) and value.ndim == 0):
            raise Malformed(_part(what), index, f"{what} is a {type_name(value)}, expected a number")
    try:
        column = np.array(values)
    except (ValueError, TypeError, OverflowError) as problem:
        raise Malformed(_part(what), 0, f"{what}: {problem}") from None
    if column.dtype.kind not in PLAIN_KINDS or column.shape != (len(values),):
        raise Malformed(_part(what), 0, f"{what} makes no column: dtype {column.dtype}, shape {column.shape}")
    return column


def _part(what: str) -> str:
    return {"the observation": "observation", "the reward": "reward"}.get(what, "info")
