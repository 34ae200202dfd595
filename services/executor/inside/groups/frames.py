"""Frames: what was played, laid out for the design's formulas, and the first row in which two columns differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kit.contracts.formulas import Compiled, Program, Values, moments, parameter_values, transitions
from kit.inside.candidate import Trajectories
from services.executor.inside.groups.evidence import earliest, placed
from services.executor.inside.subject import CannotSay, Subject


@dataclass(frozen=True)
class Frame:
    """One policy's trajectories under the names that formulas use.

    moving: what transition formulas see, one row a step. resting: what decision formulas see after a step;
    starting: after reset().
    """

    policy: str
    played: Trajectories
    program: Program
    moving: Values
    resting: Values
    starting: Values

    def where(self, row: int) -> str:
        """Where a row is, so that it can be played again."""
        return placed(self.policy, self.played, row)

    def first(self, rows: np.ndarray) -> int:
        """The True row with the shortest way to it."""
        return earliest(self.played, rows)

    def at_start(self, episode: int) -> str:
        return f"reset(seed={self.played.seeds[episode]})"

    def inputs(self, compiled: Compiled, row: int, values: Values | None = None) -> str:
        """What the formula read in that row, for the evidence."""
        values = self.moving if values is None else values
        shown: list[str] = []
        for name in sorted(compiled.names):
            if name in values and len(shown) < 8:
                column = np.asarray(values[name])
                cell = column[row] if len(column) > 1 else column[0]
                shown.append(f"{name} = {np.array2string(np.asarray(cell), precision=6, threshold=6)}")
        return "; ".join(shown)


def frames(subject: Subject, overrides: dict[str, np.ndarray] | None = None) -> Iterator[Frame]:
    """One for each policy; CannotSay where nothing was played or the state is not there."""
    if not subject.played:
        raise CannotSay("no episode could be played")
    for name, played in subject.played.items():
        yield frame_of(subject, name, played, overrides)


def frame_of(
    subject: Subject, policy: str, played: Trajectories, overrides: dict[str, np.ndarray] | None = None
) -> Frame:
    """CannotSay where state variables are missing or misshapen."""
    program, design = subject.program, subject.design
    assert program is not None and design is not None
    for variable in design.state:
        for table in (played.state, played.prev, played.start_state):
            if variable.name not in table or table[variable.name].shape[1:] != variable.shape:
                raise CannotSay(f'info["state"] has no sound {variable.name}')
    width = sum(term.size for term in design.observation)
    if played.observations.shape[1] != width:
        raise CannotSay(f"observations have {played.observations.shape[1]} numbers, the design says {width}")
    params = parameter_values(design, overrides)
    names = [variable.name for variable in design.state]
    prev, state, start = ({n: table[n] for n in names} for table in (played.prev, played.state, played.start_state))
    return Frame(
        policy,
        played,
        program,
        transitions(program, params, prev, played.actions, state, played.observations),
        moments(params, state),
        moments(params, start),
    )


def column(compiled: Compiled, values: Values, rows: int) -> np.ndarray:
    """(rows, *shape)."""
    return np.broadcast_to(compiled(values), (rows, *compiled.shape))


def unequal(found: np.ndarray, expected: np.ndarray, tolerance: float) -> np.ndarray:
    """(rows,) where any number is off by more than tolerance, scaled by max(1, |expected|)."""
    off = ~(np.abs(found - expected) <= tolerance * np.maximum(1.0, np.abs(expected)))
    rows: np.ndarray = off.reshape(len(off), -1).any(axis=1)
    return rows


def not_finite(values: np.ndarray) -> np.ndarray:
    """(rows,) where any number is NaN or infinite."""
    rows: np.ndarray = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    return rows


def first(rows: np.ndarray) -> int:
    """The first True."""
    return int(np.argmax(rows))


def number(value: object) -> str:
    """A number or small array as text."""
    return np.array2string(np.asarray(value), precision=7, threshold=8)
