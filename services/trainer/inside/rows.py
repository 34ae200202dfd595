"""The layout of one logged row: a moment of one environment, as float64 numbers side by side."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from kit.contracts.design import EnvDesign, VariableKind
from kit.contracts.formulas import Values, parameter_values
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import term_width

RUNNING, TERMINATED, TRUNCATED = 0.0, 1.0, 2.0

AT, EPISODE, STEP, REWARD, ENDED = range(5)
FIXED = 5


@dataclass(frozen=True)
class Part:
    """Columns [start, stop) hold one named value of `shape`, row-major."""

    name: str
    start: int
    stop: int
    shape: tuple[int, ...] = ()
    whole: bool = False


class Layout:
    """Where in a row everything stands.

    AT: how many steps this environment had taken in all. EPISODE: its episodes, from 0. STEP: steps
    into the episode; 0 is the reset, where action, reward and components are zero. Parameters that
    change from episode to episode stand in every row of it.
    """

    def __init__(self, design: EnvDesign) -> None:
        self.width = FIXED
        acted = self.width
        self.actions = tuple(
            self._part(term.name, (size,) if (size := term_width(design, term)) > 1 else (), whole=term.low is None)
            for term in design.action.terms
        )
        self.action = slice(acted, self.width)
        seen = self.width
        # An image would be most of a row; what it shows is computed again from the state, by its formula.
        self.width += sum(term.size for term in design.observation if term.image is None)
        self.observation = slice(seen, self.width)
        self.components = tuple(self._part(component.name) for component in design.reward)
        self.state = tuple(
            self._part(variable.name, variable.shape, variable.kind is VariableKind.WHOLE) for variable in design.state
        )
        drawn = self.width
        self.parameters = tuple(self._part(one.name, one.shape) for one in design.varied)
        self.drawn = slice(drawn, self.width)
        self._nominal = parameter_values(design)

    def _part(self, name: str, shape: tuple[int, ...] = (), whole: bool = False) -> Part:
        start = self.width
        self.width += prod(shape)
        return Part(name, start, self.width, shape, whole)

    episode, step = EPISODE, STEP

    def name_of(self, column: int) -> str:
        """What stands in it, as a person would say it."""
        named = [(part.name, part) for part in (*self.actions, *self.components)]
        named += [(f"state.{part.name}", part) for part in self.state]
        named += [(f"parameter {part.name}", part) for part in self.parameters]
        for name, part in named:
            if part.start <= column < part.stop:
                return name
        if self.observation.start <= column < self.observation.stop:
            return f"observation {column - self.observation.start}"
        return ("the count of steps", "the count of episodes", "the step", "the reward", "the ending")[column]

    def state_columns(self, rows: Batch) -> dict[str, Batch]:
        """name -> (rows, *shape)."""
        return {part.name: self.column(rows, part) for part in self.state}

    def params(self, rows: Batch) -> Values:
        """params.<name>: (rows, *shape) of those that were drawn, (1, *shape) of the others."""
        return {**self._nominal, **{f"params.{part.name}": self.column(rows, part) for part in self.parameters}}

    @staticmethod
    def column(rows: Batch, part: Part) -> Batch:
        return np.ascontiguousarray(rows[:, part.start : part.stop]).reshape(len(rows), *part.shape)
