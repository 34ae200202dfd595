"""The candidate's end: its spaces as plain data."""

from __future__ import annotations

from kit.inside.candidate.values import type_name


def describe_space(space: object, depth: int = 0) -> dict[str, object]:
    """What the judge's Space is read from."""
    from gymnasium import spaces

    match space:
        case None:
            return {"kind": "missing"}
        case spaces.Box():
            return {"kind": "Box", "low": space.low, "high": space.high}
        case spaces.Discrete():
            return {"kind": "Discrete", "n": int(space.n), "start": int(space.start)}
        case spaces.MultiDiscrete():
            return {"kind": "MultiDiscrete", "nvec": space.nvec, "start": space.start, "dtype": str(space.dtype)}
        case spaces.MultiBinary():
            return {"kind": "MultiBinary", "shape": tuple(int(n) for n in space.shape)}
        case spaces.Dict() if depth < 4:
            return {"kind": "Dict", "parts": {str(k): describe_space(v, depth + 1) for k, v in space.spaces.items()}}
        case spaces.Tuple() if depth < 4:
            return {"kind": "Tuple", "parts": {str(i): describe_space(v, depth + 1) for i, v in enumerate(space)}}
    return {"kind": "other", "name": type_name(space)}
