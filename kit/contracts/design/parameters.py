"""Parameters: every constant of a problem, and whether the user gave it or we assumed it."""

from __future__ import annotations

from enum import StrEnum
from math import prod

import numpy as np
from pydantic import Field, model_validator

from kit.contracts.records import Identifier, Record


class Source(StrEnum):
    GIVEN = "GIVEN"  # the user said so
    ASSUMED = "ASSUMED"  # we chose it; `why` says on what grounds


Shape = tuple[int, ...]
"""Sizes of the axes, outermost first; () is a single number."""


class Parameter(Record):
    """One constant: a number, or a vector or matrix of numbers in row-major order.

    values: prod(shape) numbers in `unit`.
    low, high: inclusive range for domain randomisation; both or neither.
    """

    name: Identifier
    meaning: str
    unit: str = "1"
    shape: Shape = ()
    values: tuple[float, ...] = Field(min_length=1)
    source: Source
    why: str = ""
    low: float | None = None
    high: float | None = None

    @model_validator(mode="after")
    def _fits(self) -> Parameter:
        if len(self.values) != prod(self.shape):
            raise ValueError(f"{self.name}: shape {self.shape} wants {prod(self.shape)} values, got {len(self.values)}")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"{self.name}: give both low and high, or neither")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name}: low {self.low} is above high {self.high}")
        return self

    @property
    def whole(self) -> bool:
        """Whether it is a count or an index: whole, and never randomised."""
        return self.low is None and all(value == int(value) for value in self.values)

    @property
    def ranged(self) -> bool:
        """Whether each training episode draws it anew."""
        return self.low is not None

    @property
    def array(self) -> np.ndarray:
        """float64 of `shape`."""
        return np.array(self.values, dtype=np.float64).reshape(self.shape)

    @property
    def argument(self) -> object:
        """What the environment's constructor gets: int, float, or nested lists of them."""
        return (self.array.astype(np.int64) if self.whole else self.array).tolist()
