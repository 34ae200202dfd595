"""Draws: the chance that a batched twin asks for, for all copies at once or for each from a stream of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DISTRIBUTIONS: Final = (
    "random", "uniform", "integers", "normal", "standard_normal", "poisson", "binomial", "exponential", "gamma",
    "beta", "geometric", "triangular", "lognormal",
)  # fmt: skip
"""Methods of numpy.random.Generator. A twin gives them what the scalar environment gives, numbers or arrays of one
number a drawing copy, and `rows`: which copies draw, as indices or as one bool a copy; without it all do."""


class Draws:
    """One generator for all copies: what training uses."""

    def __init__(self, generator: np.random.Generator, copies: int) -> None:
        self.generator = generator
        for name in DISTRIBUTIONS:
            setattr(self, name, _together(getattr(generator, name), copies))


class OwnDraws:
    """A generator for each copy, as a scalar environment seeded alike has: what the proof and evaluations use."""

    def __init__(self, seeds: Sequence[int]) -> None:
        generators = [np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))) for seed in seeds]
        for name in DISTRIBUTIONS:
            setattr(self, name, _apart([getattr(one, name) for one in generators]))


def _together(draw: Any, copies: int) -> Any:
    def drawn(*arguments: Any, rows: Any = None) -> NDArray[Any]:
        result: NDArray[Any] = draw(*arguments, size=copies if rows is None else len(_indices(rows)))
        return result

    return drawn


def _apart(draws: list[Any]) -> Any:
    everyone = list(range(len(draws)))

    def drawn(*arguments: Any, rows: Any = None) -> NDArray[Any]:
        which = everyone if rows is None else _indices(rows).tolist()
        if not any(np.ndim(one) for one in arguments):
            return np.array([draws[row](*arguments) for row in which])
        columns = [np.broadcast_to(one, len(which)).tolist() for one in arguments]
        return np.array([draws[row](*own) for row, own in zip(which, zip(*columns, strict=True), strict=True)])

    return drawn


def _indices(rows: Any) -> NDArray[Any]:
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows
