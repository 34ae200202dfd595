"""State, observation and action: what the simulation knows, what the agent sees, what it may do."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal

from pydantic import Field, PositiveInt, model_validator

from kit.contracts.design.parameters import Shape
from kit.contracts.records import Identifier, Record

Formula = str
"""One expression of the formula language (kit/contracts/formulas)."""


class VariableKind(StrEnum):
    REAL = "REAL"  # float64 in info["state"]
    WHOLE = "WHOLE"  # int64 in info["state"]: counts, indices, flags


class StateVariable(Record):
    """One variable of info["state"], in `unit`, inside [low, high] (inclusive) after every step.

    A flow (units sold in the step just taken) is zero at reset. A stock's meaning says
    whether it is counted before or after the step's arrivals.
    """

    name: Identifier
    meaning: str
    unit: str = "1"
    kind: VariableKind = VariableKind.REAL
    shape: Shape = ()
    low: float
    high: float
    flow: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> StateVariable:
        if self.low > self.high:
            raise ValueError(f"{self.name}: low {self.low} is above high {self.high}")
        return self


class ImageSize(Record):
    """Pixels; 36 a side is the least that Stable-Baselines3's CNN can read. channels: 1 (grey) or 3 (colours)."""

    height: int = Field(ge=36, le=128)
    width: int = Field(ge=36, le=128)
    channels: Literal[1, 3]

    @property
    def shape(self) -> tuple[int, int, int]:
        """As the environment gives it: channels last."""
        return self.height, self.width, self.channels


class ObservationKind(StrEnum):
    VECTOR = "VECTOR"  # one float32 Box with all terms in order
    IMAGE = "IMAGE"  # one uint8 Box (height, width, channels): exactly one term, with `image`
    DICT = "DICT"  # a Dict with one key a term: a float32 Box (size,), or an image


class ObservationTerm(Record):
    """`size` numbers the agent sees. Its place in the design is its place in the float32 Box of a VECTOR.

    formula: over params and state; None only where no formula can say it, and then `meaning` must.
        Of an image it gives whole numbers, height x width x channels, row by row, the channels of a pixel together.
    low, high: inclusive; the environment clips to them. 0 and 255 for an image.
    noise_std: standard deviation of Gaussian noise that the environment adds before it clips.
    image: the term is an image of uint8 values; size is then height x width x channels.
    """

    name: Identifier
    meaning: str
    unit: str = "1"
    size: PositiveInt = 1
    low: float
    high: float
    formula: Formula | None = None
    noise_std: float | None = Field(default=None, gt=0)
    image: ImageSize | None = None

    @model_validator(mode="after")
    def _ordered(self) -> ObservationTerm:
        if self.low >= self.high:
            raise ValueError(f"{self.name}: low {self.low} must be below high {self.high}")
        return self

    @model_validator(mode="after")
    def _fits_its_image(self) -> ObservationTerm:
        if self.image is None:
            return self
        if (self.low, self.high) != (0, 255):
            raise ValueError(f"{self.name}: an image has low 0 and high 255")
        if self.size != math.prod(self.image.shape):
            raise ValueError(f"{self.name}: size {self.size} must be {math.prod(self.image.shape)}, its pixels' values")
        if self.noise_std is not None:
            raise ValueError(f"{self.name}: an image takes no noise_std")
        return self


class ActionKind(StrEnum):
    DISCRETE = "DISCRETE"  # one term with n choices
    MULTI_DISCRETE = "MULTI_DISCRETE"  # several terms with n choices each
    MULTI_BINARY = "MULTI_BINARY"  # several terms that are 0 or 1
    BOX = "BOX"  # terms of `size` numbers in [low, high]; float32, in the order of the terms


class ActionTerm(Record):
    """One named part of the action.

    choices: the number of choices (DISCRETE, MULTI_DISCRETE); choice k has the label labels[k], if any.
    low, high, size, unit: BOX only; inclusive bounds.
    legal: over params, state and `choice` = [0 .. choices-1]: 1 where the choice is legal.
    """

    name: Identifier
    meaning: str
    choices: PositiveInt | None = None
    labels: tuple[str, ...] = ()
    size: PositiveInt = 1
    unit: str = "1"
    low: float | None = None
    high: float | None = None
    legal: Formula | None = None


class ActionSpec(Record):
    """What the agent may do in one step. illegal: what happens on an illegal choice, in words."""

    kind: ActionKind
    terms: tuple[ActionTerm, ...] = Field(min_length=1)
    illegal: str = ""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> ActionSpec:
        if self.kind is ActionKind.DISCRETE and len(self.terms) != 1:
            raise ValueError("a DISCRETE action has exactly one term; use MULTI_DISCRETE for several")
        for term in self.terms:
            counted = self.kind in (ActionKind.DISCRETE, ActionKind.MULTI_DISCRETE)
            if counted and term.choices is None:
                raise ValueError(f"action term {term.name}: say how many choices it has")
            if not counted and term.choices is not None:
                raise ValueError(f"action term {term.name}: choices are for DISCRETE and MULTI_DISCRETE")
            if term.labels and len(term.labels) != term.choices:
                raise ValueError(f"action term {term.name}: {len(term.labels)} labels for {term.choices} choices")
            bounded = term.low is not None and term.high is not None and term.low < term.high
            if self.kind is ActionKind.BOX and not bounded:
                raise ValueError(f"action term {term.name}: a BOX term needs low < high")
            if term.legal is not None and not counted:
                raise ValueError(f"action term {term.name}: only choices can be masked")
        return self

    @property
    def masked(self) -> bool:
        """Whether the environment offers action_masks()."""
        return any(term.legal is not None for term in self.terms)
