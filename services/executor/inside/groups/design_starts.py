"""How an episode starts: the conditions of the design on every state that reset() gave."""

from __future__ import annotations

from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.contracts.formulas import CompiledLaw, tolerances
from services.executor.inside.catalogue import define
from services.executor.inside.groups.design_state import NOT_FINITE
from services.executor.inside.groups.frames import Frame, column, first, frames, not_finite, number, unequal
from services.executor.inside.subject import Subject

START = define(
    "start.condition",
    proves="Every state that reset() gives is as the design says that an episode starts, within 1e-6.",
    example="state.stock == params.start_stock, where reset() leaves the stock of the last episode",
    remedy="Correct the start state in reset() so that this condition holds for every seed.",
)


def check_starts(subject: Subject) -> Iterator[Finding]:
    """Each condition, after every reset of what was played."""
    told: set[str] = set()
    for frame in frames(subject):
        for name, start in frame.program.starts.items():
            if name not in told:
                for finding in _start(subject, frame, start):
                    told.add(name)
                    yield finding


def _start(subject: Subject, frame: Frame, start: CompiledLaw) -> Iterator[Finding]:
    rows = len(frame.played.seeds)
    sides = [column(side, frame.starting, rows) for side in (start.left, start.right) if side is not None]
    for side in sides:
        if (bad := not_finite(side)).any():
            row = first(bad)
            inputs = frame.inputs(start.left, row, frame.starting)
            yield NOT_FINITE.error(
                f"start {start.name} has no finite value", evidence=f"{frame.at_start(row)}; {inputs}"
            )
            return
    rank = max(side.ndim for side in sides)
    left, *right = (side.reshape(rows, *(1,) * (rank - side.ndim), *side.shape[1:]) for side in sides)
    off = unequal(left, right[0], tolerances.REWARD) if right else (left.reshape(rows, -1) == 0).any(axis=1)
    if not off.any():
        return
    row = first(off)
    said = f": the left side is {number(left[row])}, the right side {number(right[0][row])}" if right else ""
    inputs = "; ".join(frame.inputs(side, row, frame.starting) for side in (start.left, start.right) if side)
    text = next(one.formula for one in frame.program.design.dynamics.starts if one.name == start.name)
    yield START.error(
        f"an episode does not start as start {start.name} says ({text}){said}",
        evidence=f"{frame.at_start(row)}; {inputs}; {int(off.sum())} of {rows} episodes",
        line=subject.line_of("reset"),
    )
