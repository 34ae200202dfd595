"""EnvDesign: the whole design of an environment, rich enough to test code against."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from pydantic import Field, PositiveInt, model_validator

from kit.contracts.design.dynamics import Definition, Dynamics
from kit.contracts.design.goals import Baseline, Episode, Metric, RewardComponent
from kit.contracts.design.parameters import Parameter, Source
from kit.contracts.design.spaces import ActionSpec, Formula, ObservationKind, ObservationTerm, StateVariable
from kit.contracts.records import Identifier, Record


class FitVerdict(StrEnum):
    RL = "RL"
    BETTER_TOOL = "BETTER_TOOL"


class Fit(Record):
    """Is this a job for RL? If something else serves better: which, and why."""

    verdict: FitVerdict
    why: str
    better_tool: str = ""


class ParameterOverride(Record):
    """values replace the parameter's, in the same shape."""

    name: Identifier
    values: tuple[float, ...]


class Level(Record):
    """One level of a curriculum; the next opens when the primary metric reaches `opens_next_at`.

    After the last one that has it come the parameters' own values.
    """

    name: Identifier
    overrides: tuple[ParameterOverride, ...]
    opens_next_at: float | None = None


class Hyperparameter(Record):
    """One argument of the algorithm by Stable-Baselines3's name, e.g. learning_rate."""

    name: Identifier
    value: float


class TrainingAdvice(Record):
    """How long and with what to train: measured for worked problems, a model's advice elsewhere."""

    total_timesteps: PositiveInt = 200_000
    discount: float = Field(default=0.99, gt=0, le=1)
    hyperparameters: tuple[Hyperparameter, ...] = ()


class Decision(Record):
    """One decision of the designer and why it was taken."""

    about: str
    why: str


class EnvDesign(Record):
    """A design of a Gymnasium environment that code can be tested against, formula by formula."""

    name: Identifier
    title: str
    summary: str
    fit: Fit
    parameters: tuple[Parameter, ...]
    state: tuple[StateVariable, ...] = Field(min_length=1)
    definitions: tuple[Definition, ...] = ()
    observation: tuple[ObservationTerm, ...] = Field(min_length=1)
    action: ActionSpec
    dynamics: Dynamics
    reward: tuple[RewardComponent, ...] = Field(min_length=1)
    potential: Formula | None = None
    episode: Episode
    metrics: tuple[Metric, ...] = Field(min_length=1)
    baselines: tuple[Baseline, ...] = Field(min_length=1)
    curriculum: tuple[Level, ...] = ()
    training: TrainingAdvice = TrainingAdvice()
    reasoning: tuple[Decision, ...] = ()
    observation_kind: ObservationKind = ObservationKind.VECTOR

    @model_validator(mode="after")
    def _names_are_unique(self) -> EnvDesign:
        for what, records in (
            ("parameter", self.parameters), ("state variable", self.state), ("definition", self.definitions),
            ("observation term", self.observation), ("action term", self.action.terms),
            ("reward component", self.reward), ("ending", self.episode.endings), ("metric", self.metrics),
            ("baseline", self.baselines), ("law", self.dynamics.laws),
            ("invariant", self.dynamics.invariants), ("expectation", self.dynamics.expected),
            ("start", self.dynamics.starts), ("level", self.curriculum),
        ):  # fmt: skip
            names = [record.name for record in records]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{what} names must differ: {', '.join(twice)} stands twice")
        return self

    @model_validator(mode="after")
    def _observation_fits_its_kind(self) -> EnvDesign:
        images = [term.name for term in self.observation if term.image is not None]
        if self.observation_kind is ObservationKind.IMAGE and (len(self.observation) != 1 or not images):
            raise ValueError("an IMAGE observation has exactly one term, with `image`; use DICT for several")
        if self.observation_kind is ObservationKind.VECTOR and images:
            raise ValueError(f"a VECTOR holds no images; {', '.join(images)} needs IMAGE or DICT")
        return self

    @model_validator(mode="after")
    def _levels_fit_the_parameters(self) -> EnvDesign:
        sizes = {parameter.name: len(parameter.values) for parameter in self.parameters}
        for level in self.curriculum:
            for override in level.overrides:
                if (size := sizes.get(override.name)) is None:
                    raise ValueError(f"level {level.name}: {override.name} is no parameter")
                if len(override.values) != size:
                    got = len(override.values)
                    raise ValueError(f"level {level.name}: {override.name} wants {size} values, got {got}")
        for level in self.curriculum[:-1]:
            if level.opens_next_at is None:
                raise ValueError(f"level {level.name}: only the last level may go without opens_next_at")
        return self

    @property
    def varied(self) -> tuple[Parameter, ...]:
        """Those that training changes from episode to episode: drawn from a range, or set by a level."""
        levelled = {override.name for level in self.curriculum for override in level.overrides}
        return tuple(one for one in self.parameters if one.ranged or one.name in levelled)

    @property
    def assumed(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.source is Source.ASSUMED)

    @property
    def digest(self) -> str:
        """SHA-256 of the design's canonical JSON; the library's coder serves only its own, to the hash."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()
