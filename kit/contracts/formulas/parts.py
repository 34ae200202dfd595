"""The parts of a program that are more than one formula."""

from __future__ import annotations

from dataclasses import dataclass

from kit.contracts.design import Aggregate
from kit.contracts.formulas.compiler import Compiled


@dataclass(frozen=True)
class CompiledLaw:
    """`left == right` within tolerance, or, where right is None, a condition that must be true."""

    name: str
    left: Compiled
    right: Compiled | None


@dataclass(frozen=True)
class CompiledExpectation:
    name: str
    formula: Compiled
    mean: Compiled
    deviation: Compiled | None


@dataclass(frozen=True)
class CompiledDraw:
    """What a reset draws; low, high and mean have its shape, or are one number for all of it."""

    name: str
    formula: Compiled
    low: Compiled | None
    high: Compiled | None
    mean: Compiled | None


@dataclass(frozen=True)
class CompiledMetric:
    name: str
    aggregate: Aggregate
    formula: Compiled
    per: Compiled | None
