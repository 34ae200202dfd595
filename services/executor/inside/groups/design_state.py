"""info["state"] against the design: every declared variable and no other, in shape, kind and bounds; invariants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.design import StateVariable, VariableKind
from kit.contracts.findings import Blame, Finding
from kit.contracts.formulas import tolerances
from kit.inside.candidate import Trajectories
from services.executor.inside.catalogue import define
from services.executor.inside.groups.frames import column, first, frame_of, frames, not_finite, number, unequal
from services.executor.inside.subject import CannotSay, Subject

STATE = define(
    "state.variables",
    proves='info["state"] holds exactly the design\'s variables, in their shapes, after reset() and every step.',
    example='info = {"state": {"stock": 3}}  # and no "lost"',
    remedy='Put every variable of the design into info["state"], under its name and in its shape, also in reset().',
)
STATE_KIND = define(
    "state.kind",
    proves="REAL variables are floats of double precision, WHOLE ones are integers.",
    example='{"stock": numpy.float32(3)}',
    remedy="Use float and numpy.float64 for REAL, int and numpy.int64 for WHOLE variables.",
)
STATE_BOUNDS = define(
    "state.bounds",
    proves="Every state variable is finite and inside its bounds after every step.",
    example="self.stock -= demand  # below zero",
    remedy="Clip where the design's dynamics say so, or correct the transition.",
)
BOUNDS_BY_LAW = define(
    "state.bounds_by_law",
    proves="The design's own laws keep every state variable inside its bounds.",
    example='{"name": "stock", "low": 0, ...}  # and the law state.stock == prev.stock - action.take',
    remedy="Widen the bounds, or write the law so that it keeps to them.",
    blame=Blame.DESIGN,
)
FLOW = define(
    "state.flow_at_reset",
    proves="Flows are zero after reset().",
    example="def reset(...): ...  # self.sold keeps the value of the last episode",
    remedy="Set every flow to zero in reset().",
)
INVARIANT = define(
    "dynamics.invariant",
    proves="The design's invariants hold in every state, after reset() too.",
    example="abs(sum(state.shares) - 1) < 1e-6, where the shares drift",
    remedy="Correct the transition, so that the condition holds after every step.",
)
NOT_FINITE = define(
    "design.not_finite",
    proves="Every formula of the design has a finite value in every state that is reached.",
    example="state.served / state.asked, where nobody asked",
    remedy="Guard the formula: where(state.asked > 0, state.served / max(state.asked, 1), 0).",
    blame=Blame.DESIGN,
)


def check_state(subject: Subject) -> Iterator[Finding]:
    """Keys, shapes, kinds, bounds, flows."""
    design = subject.design
    assert design is not None
    if not subject.played:
        raise CannotSay("no episode could be played")
    names = [variable.name for variable in design.state]
    for played in subject.played.values():
        for when, table, line in (
            ("step()", played.state, subject.line_of_return("step")),
            ("reset()", played.start_state, subject.line_of_return("reset")),
        ):
            missing, extra = sorted(set(names) - set(table)), sorted(set(table) - set(names))
            if missing:
                yield STATE.error(f'info["state"] of {when} lacks {", ".join(missing)}', line=line)
            if extra:
                yield STATE.error(
                    f'info["state"] of {when} has {", ".join(extra)}, which the design does not know', line=line
                )
            if missing or extra:
                return
    for variable in design.state:
        for name, played in subject.played.items():
            found = list(_variable(subject, variable, name, played))
            yield from found
            if found:
                break


def _variable(subject: Subject, variable: StateVariable, policy: str, played: Trajectories) -> Iterator[Finding]:
    for when, table in (("step()", played.state), ("reset()", played.start_state)):
        values = table[variable.name]
        if values.shape[1:] != variable.shape:
            yield STATE.error(
                f"state.{variable.name} of {when} has shape {values.shape[1:]}, the design says {variable.shape}",
                line=subject.line_of_return(when[:-2]),
            )
            return
    yield from _kind(variable, played)
    low, high = variable.low, variable.high
    slack = 1e-9 * max(1.0, abs(low), abs(high))
    for when, table in (("step", played.state), ("reset", played.start_state)):
        values = table[variable.name].astype(np.float64).reshape(len(table[variable.name]), -1)
        outside = np.asarray(((values < low - slack) | (values > high + slack) | ~np.isfinite(values)).any(axis=1))
        if outside.any():
            row = first(outside)
            seed = played.seeds[int(played.episode[row]) if when == "step" else row]
            place = f"policy {policy}, seed {seed}" + (f", step {played.step[row]}" if when == "step" else ", reset()")
            found = f"state.{variable.name} = {number(values[row])} lies outside [{low:g}, {high:g}]"
            if when == "step" and (law := _law_that_says_so(subject, variable, policy, played, row)):
                yield BOUNDS_BY_LAW.error(f"{found}, and the law {law} says so", evidence=place)
            else:
                yield STATE_BOUNDS.error(found, evidence=place, line=subject.line_of(when))
            return
    start = played.start_state[variable.name]
    if variable.flow and (nonzero := np.asarray(np.reshape(start != 0, (len(start), -1)).any(axis=1))).any():
        row = first(nonzero)
        yield FLOW.error(
            f"state.{variable.name} is a flow and is {number(start[row])} after reset(), expected 0",
            evidence=f"reset(seed={played.seeds[row]})",
            line=subject.line_of("reset"),
        )


def _law_that_says_so(
    subject: Subject, variable: StateVariable, policy: str, played: Trajectories, row: int
) -> str | None:
    """The name of a law `state.NAME == ...` that gives this very value; None where the code is to blame."""
    try:
        frame = frame_of(subject, policy, played)
    except CannotSay:
        return None
    name, cut = f"state.{variable.name}", slice(row, row + 1)
    for law in frame.program.laws.values():
        if law.left.names == {name} and law.right is not None and name not in law.right.names:
            left, said = (column(side, frame.moving, played.rows)[cut] for side in (law.left, law.right))
            plain = left.shape == frame.moving[name][cut].shape and np.array_equal(left, frame.moving[name][cut])
            if plain and left.shape == said.shape and not unequal(left, said, tolerances.REWARD).any():
                return law.name
    return None


def _kind(variable: StateVariable, played: Trajectories) -> Iterator[Finding]:
    dtypes = played.dtypes.get(variable.name, frozenset())
    if variable.kind is VariableKind.WHOLE:
        values = played.state[variable.name]
        if not np.array_equal(values, np.floor(values)):
            yield STATE_KIND.error(
                f"state.{variable.name} is WHOLE and takes values such as {number(values[values % 1 != 0][0])}"
            )
        elif any(not dtype.startswith(("int", "uint")) for dtype in dtypes):
            yield STATE_KIND.warning(f"state.{variable.name} is WHOLE and comes as {', '.join(sorted(dtypes))}")
    elif dtypes & {"float32", "float16"}:
        yield STATE_KIND.warning(
            f"state.{variable.name} comes as {', '.join(sorted(dtypes))}: single precision loses digits"
        )


def check_invariants(subject: Subject) -> Iterator[Finding]:
    """After reset() and after every step."""
    for frame in frames(subject):
        for name, compiled in frame.program.invariants.items():
            for when, values, rows in (
                ("step", frame.resting, frame.played.rows),
                ("reset", frame.starting, len(frame.played.seeds)),
            ):
                holds = column(compiled, values, rows).reshape(rows, -1)
                place = frame.where if when == "step" else frame.at_start
                if (bad := not_finite(holds)).any():
                    row = first(bad)
                    yield NOT_FINITE.error(
                        f"invariant {name} has no finite value",
                        evidence=f"{place(row)}; {frame.inputs(compiled, row, values)}",
                    )
                elif (broken := (holds == 0).any(axis=1)).any():
                    row = first(broken)
                    yield INVARIANT.error(
                        f"invariant {name} does not hold: {compiled.text}",
                        evidence=f"{place(row)}; {frame.inputs(compiled, row, values)}",
                        line=subject.line_of(when),
                    )
