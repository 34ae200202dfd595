"""Dynamics: what one step does, in words and in formulas that can be tested."""

from __future__ import annotations

from pydantic import Field, PositiveFloat, model_validator

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
    """What holds after every reset, over params and state.

    Alone, `formula` is a condition; `==` at its top means within tolerance. Of what is drawn it is the number, or the
    vector, that is drawn: never below `low` or above `high`, found near both over many episodes, and `mean` on average.
    """

    name: Identifier
    formula: Formula
    low: Formula | None = None
    high: Formula | None = None
    mean: Formula | None = None

    @property
    def drawn(self) -> bool:
        """Whether it says how a value is spread, and is no condition."""
        return self.low is not None or self.mean is not None

    @model_validator(mode="after")
    def _has_both_ends(self) -> Start:
        if (self.low is None) != (self.high is None):
            raise ValueError(f"start {self.name} has one end of a range only; give low and high")
        return self


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
