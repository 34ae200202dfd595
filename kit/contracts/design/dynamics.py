"""Dynamics: what one step does, in words and in formulas that can be tested."""

from __future__ import annotations

from pydantic import Field, PositiveFloat

from kit.contracts.design.spaces import Formula
from kit.contracts.records import Identifier, Record


class Definition(Record):
    """A named sub-expression; it takes the context of the formula that uses it, and may use earlier ones."""

    name: Identifier
    meaning: str = ""
    formula: Formula


class Law(Record):
    """An exact transition equation over params, prev, action, state; `==` at its top means within tolerance."""

    name: Identifier
    formula: Formula


class Invariant(Record):
    """Holds in every state, reset included: a condition over params and state."""

    name: Identifier
    formula: Formula


class Start(Record):
    """Holds after every reset: a condition over params and state; `==` at its top means within tolerance.

    An exact start value is an equation, a drawn one lies in its range.
    """

    name: Identifier
    formula: Formula


class Expectation(Record):
    """What is random: the conditional mean of `formula` (after the step) given prev and action.

    mean, deviation: over params, prev, action; deviation is the standard deviation, where known.
    """

    name: Identifier
    formula: Formula
    mean: Formula
    deviation: Formula | None = None


class Dynamics(Record):
    """steps: what one step does, in order, in words. step_length is in step_unit, e.g. 1 day."""

    steps: tuple[str, ...] = Field(min_length=1)
    step_length: PositiveFloat = 1.0
    step_unit: str
    laws: tuple[Law, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    expected: tuple[Expectation, ...] = ()
    starts: tuple[Start, ...] = ()
