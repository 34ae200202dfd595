"""Tracing: one episode step by step, so that a reader can see what a policy does and what it is paid for."""

from __future__ import annotations

from math import isfinite

import numpy as np

from kit.contracts.formulas import Program, parameter_values, transitions
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import reward
from kit.inside.candidate import Trajectories
from kit.inside.saying import Say
from services.trainer.inside.measuring import Rung
from services.trainer.inside.payloads import MOST_COLUMNS, MOST_TRACED, Trace

NUMBERS_A_LINE = 100_000  # of what is said at once


def say_trace(program: Program, rung: Rung, played: Trajectories, say: Say) -> None:
    """What was seen, done, paid and measured in each step, as Traces."""
    named = _columns(program, played)
    names = tuple(named)[:MOST_COLUMNS]
    table = np.stack([named[name] for name in names], axis=1)[:MOST_TRACED]
    together = max(NUMBERS_A_LINE // len(names), 1)
    for first in range(0, len(table), together):
        rows = tuple(tuple(map(_number, row)) for row in table[first : first + together].tolist())
        trace = Trace(policy=rung.name, columns=names, rows=rows)
        say("trace", **trace.model_dump(mode="json"))


def _columns(program: Program, played: Trajectories) -> dict[str, Batch]:
    """In the order of the design; vectors as name[0], name[1], ...; no images. Every column (rows,)."""
    design, rows = program.design, played.rows
    values = transitions(
        program, parameter_values(design), played.prev, played.actions, played.state, played.observations
    )
    components = {name: np.broadcast_to(of(values), (rows,)) for name, of in program.components.items()}
    found: dict[str, Batch] = {"step": played.step.astype(np.float64)}
    start = 0
    for seen in design.observation:
        if seen.image is None:
            found |= _spread(f"obs.{seen.name}", played.observations[:, start : start + seen.size])
        start += seen.size
    start = 0
    for term in design.action.terms:
        width = term.size if term.low is not None else 1
        found |= _spread(f"action.{term.name}", played.actions[:, start : start + width])
        start += width
    found["reward"] = reward(program, components)
    found |= {f"component.{one.name}": one.weight * components[one.name] for one in design.reward}
    found |= {f"metric.{one.name}": np.broadcast_to(one.formula(values), (rows,)) for one in program.metrics.values()}
    for variable in design.state:
        found |= _spread(f"state.{variable.name}", played.state[variable.name].reshape(rows, -1))
    return found


def _spread(name: str, columns: Batch) -> dict[str, Batch]:
    if columns.shape[1] == 1:
        return {name: columns[:, 0].astype(np.float64)}
    return {f"{name}[{i}]": columns[:, i].astype(np.float64) for i in range(columns.shape[1])}


def _number(value: float) -> float | None:
    return float(f"{value:.9g}") if isfinite(value) else None
