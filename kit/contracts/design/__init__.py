"""The typed design: what a designer says and everything else is tested against (docs/design.md)."""

from kit.contracts.design.answers import AnswerKind, DesignAnswer
from kit.contracts.design.dynamics import Definition, Dynamics, Expectation, Invariant, Law, Start
from kit.contracts.design.env_design import (
    Decision,
    EnvDesign,
    Fit,
    FitVerdict,
    Hyperparameter,
    Level,
    ParameterOverride,
    TrainingAdvice,
)
from kit.contracts.design.goals import (
    Aggregate,
    Baseline,
    BaselineTerm,
    Direction,
    Episode,
    EpisodeEnding,
    Metric,
    RewardComponent,
)
from kit.contracts.design.parameters import Parameter, Shape, Source
from kit.contracts.design.spaces import (
    ActionKind,
    ActionSpec,
    ActionTerm,
    Formula,
    ImageSize,
    ObservationKind,
    ObservationTerm,
    StateVariable,
    VariableKind,
)

__all__ = [
    "ActionKind", "ActionSpec", "ActionTerm", "Aggregate", "AnswerKind", "Baseline", "BaselineTerm", "Decision",
    "Definition", "DesignAnswer", "Direction", "Dynamics", "EnvDesign", "Episode", "EpisodeEnding", "Expectation",
    "Fit", "FitVerdict", "Formula", "Hyperparameter", "ImageSize", "Invariant", "Law", "Level", "Metric",
    "ObservationKind", "ObservationTerm", "Parameter", "ParameterOverride", "RewardComponent", "Shape", "Source",
    "Start", "StateVariable", "TrainingAdvice", "VariableKind",
]  # fmt: skip
