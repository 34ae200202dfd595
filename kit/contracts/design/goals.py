"""Reward, episode, metrics, baselines: what is paid, when it ends, what is really wanted, what to beat."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, PositiveInt, model_validator

from kit.contracts.design.spaces import Formula
from kit.contracts.records import Identifier, Record


class RewardComponent(Record):
    """One term of the reward. The step's reward is the sum of weight x formula over all components.

    formula: over params, prev, action, state, obs; its value lies in [low, high] every step.
    weight: negative for a cost whose formula is positive.
    """

    name: Identifier
    meaning: str
    formula: Formula
    weight: float
    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> RewardComponent:
        if self.low > self.high:
            raise ValueError(f"{self.name}: low {self.low} is above high {self.high}")
        return self


class EpisodeEnding(Record):
    """A termination: the formula over params, prev, action, state is true after the step. The first true one wins."""

    name: Identifier
    meaning: str = ""
    formula: Formula
    success: bool


class Episode(Record):
    """step_limit: truncation after this many steps. start: the start state, in words."""

    step_limit: PositiveInt
    endings: tuple[EpisodeEnding, ...] = ()
    start: str


class Direction(StrEnum):
    HIGHER = "HIGHER"  # is better
    LOWER = "LOWER"


class Aggregate(StrEnum):
    """How the steps of an episode become one number."""

    SUM = "SUM"
    MEAN = "MEAN"
    LAST = "LAST"
    MAX = "MAX"
    MIN = "MIN"
    RATIO = "RATIO"  # sum of formula / sum of per
    FINAL = "FINAL"  # the formula at the last step only


class Metric(Record):
    """What the user really wants, apart from the reward; the design's first metric is the primary one.

    formula: over params, prev, action, state. per: the denominator of a RATIO.
    """

    name: Identifier
    meaning: str
    unit: str = "1"
    formula: Formula
    per: Formula | None = None
    aggregate: Aggregate
    direction: Direction
    target: float | None = None

    @model_validator(mode="after")
    def _per_goes_with_ratio(self) -> Metric:
        if (self.aggregate is Aggregate.RATIO) != (self.per is not None):
            raise ValueError(f"metric {self.name}: `per` goes with RATIO, and RATIO needs it")
        return self


class BaselineTerm(Record):
    """term: the action term it sets. formula: over params, obs and earlier terms as action.<name>."""

    term: Identifier
    formula: Formula


class Baseline(Record):
    """A rule that a sensible person would use; terms in the order of the action's terms.

    Choices are clipped to the legal range and rounded; BOX values are clipped to their bounds.
    """

    name: Identifier
    meaning: str
    terms: tuple[BaselineTerm, ...] = Field(min_length=1)
