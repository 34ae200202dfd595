"""Columns: a trajectory laid out under the names that formulas use, and what the design computes from it.

Arrays here have one row for each moment: state columns are (rows, *shape), observations are
(rows, total size of the terms), actions are (rows, total size of the action's terms), all float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kit.contracts.design import ActionKind, ActionTerm, Aggregate, EnvDesign, ObservationKind
from kit.contracts.formulas.batches import Batch, flat
from kit.contracts.formulas.compiler import Values
from kit.contracts.formulas.parts import CompiledMetric
from kit.contracts.formulas.program import Program

Columns = Mapping[str, Batch]


def parameter_values(design: EnvDesign, overrides: Mapping[str, Batch] | None = None) -> Values:
    """params.<name> -> (1, *shape)."""
    given = overrides or {}
    return {
        f"params.{p.name}": np.asarray(given.get(p.name, p.array), dtype=np.float64).reshape(1, *p.shape)
        for p in design.parameters
    }


def moments(params: Values, state: Columns) -> Values:
    """What decision formulas see: params and state."""
    return {**params, **_prefixed("state", state)}


def transitions(
    program: Program, params: Values, prev: Columns, actions: Batch, state: Columns, observations: Batch | Values
) -> Values:
    """What transition formulas see; row i is the step from prev[i] by actions[i] to state[i].

    observations: what the policy saw before it acted, (rows, size), or by name; images that no formula reads
        are left out.
    """
    if isinstance(observations, np.ndarray):
        observations = observation_values(program.design, observations, program.read_by_transitions)
    values: dict[str, Batch] = {
        **params,
        **_prefixed("prev", prev),
        **_prefixed("state", state),
        **action_values(program.design, actions),
        **observations,
    }
    if program.design.action.masked:
        values["legal_taken"] = _legal_taken(program, moments(params, prev), actions)
    return values


def term_width(design: EnvDesign, term: ActionTerm) -> int:
    """How many numbers the term takes in an action row."""
    return term.size if design.action.kind is ActionKind.BOX else 1


def action_values(design: EnvDesign, actions: Batch) -> dict[str, Batch]:
    """action.<term> -> (rows,) or (rows, size), from actions of (rows, total)."""
    values: dict[str, Batch] = {}
    start = 0
    for term in design.action.terms:
        width = term_width(design, term)
        part = actions[:, start : start + width].astype(np.float64)
        values[f"action.{term.name}"] = part[:, 0] if width == 1 else part
        start += width
    return values


def observation_values(design: EnvDesign, observations: Batch, read: frozenset[str] | None = None) -> dict[str, Batch]:
    """obs.<term> -> (rows,) or (rows, size), from observations of (rows, total). read: leave other images out."""
    values: dict[str, Batch] = {}
    start = 0
    for term in design.observation:
        name, stop = f"obs.{term.name}", start + term.size
        if term.image is None or read is None or name in read:
            part = observations[:, start:stop].astype(np.float64)
            values[name] = part[:, 0] if term.size == 1 else part
        start = stop
    return values


def flat_observation(design: EnvDesign, observation: Any) -> Batch:
    """(total,) of what the environment returned, all terms side by side. KeyError where a key of a dict is missing."""
    if design.observation_kind is not ObservationKind.DICT:
        return np.asarray(observation).ravel()
    return np.concatenate([np.asarray(observation[term.name]).ravel() for term in design.observation])


def observe(program: Program, values: Values, rows: int) -> Batch:
    """What the agent should see in these moments: (rows, total), clipped; NaN where a term has no formula."""
    parts = []
    for term in program.design.observation:
        compiled = program.observation[term.name]
        if compiled is None:
            parts.append(np.full((rows, term.size), np.nan))
            continue
        seen = np.clip(flat(compiled(values)), term.low, term.high)
        parts.append(np.broadcast_to(seen, (rows, term.size)))
    return np.concatenate(parts, axis=1)


def masks(program: Program, values: Values, rows: int) -> Batch:
    """1 where a choice is legal: (rows, sum of the terms' choices), as sb3-contrib lays them out."""
    parts = []
    for term in program.design.action.terms:
        compiled = program.legality[term.name]
        width = term.choices or 2  # MULTI_BINARY has two choices a term
        choice = np.arange(width, dtype=np.float64)[None, :]
        legal = np.ones((1, width)) if compiled is None else compiled({**values, "choice": choice})
        parts.append(np.broadcast_to(np.where(np.isnan(legal), np.nan, legal != 0), (rows, width)))
    return np.concatenate(parts, axis=1)


def reward(program: Program, components: Columns) -> Batch:
    """(rows,): the sum of weight x component."""
    weighted = [component.weight * components[component.name] for component in program.design.reward]
    total: Batch = np.sum(np.broadcast_arrays(*weighted), axis=0)
    return total


def act(program: Program, baseline: str, params: Values, observations: Batch) -> Batch:
    """The rule's actions, (rows, total): choices rounded and clipped to their range, numbers to their bounds.

    NaN where the rule has no value.
    """
    design = program.design
    rows = observations.shape[0]
    values = {**params, **observation_values(design, observations)}
    parts = []
    for term in design.action.terms:
        width = term_width(design, term)
        chosen = np.broadcast_to(flat(program.baselines[baseline][term.name](values)), (rows, width))
        if design.action.kind is ActionKind.BOX:
            chosen = np.clip(chosen, term.low, term.high)
        else:
            chosen = np.clip(np.round(chosen), 0, (term.choices or 2) - 1)
        values[f"action.{term.name}"] = chosen[:, 0] if width == 1 else chosen
        parts.append(chosen)
    return np.concatenate(parts, axis=1)


def as_env_action(design: EnvDesign, row: Batch) -> int | np.ndarray:
    """One action row as the environment's step() takes it."""
    match design.action.kind:
        case ActionKind.DISCRETE:
            return int(row[0])
        case ActionKind.MULTI_DISCRETE:
            return row.astype(np.int64)
        case ActionKind.MULTI_BINARY:
            return row.astype(np.int8)
        case ActionKind.BOX:
            return row.astype(np.float32)


def aggregate(metric: CompiledMetric, values: Values, rows: int) -> float:
    """The metric over the `rows` steps of one episode; NaN where it has no value (0/0, say)."""
    steps = np.broadcast_to(metric.formula(values), (rows,))
    match metric.aggregate:
        case Aggregate.SUM:
            return float(steps.sum())
        case Aggregate.MEAN:
            return float(steps.mean())
        case Aggregate.LAST | Aggregate.FINAL:
            return float(steps[-1])
        case Aggregate.MAX:
            return float(steps.max())
        case Aggregate.MIN:
            return float(steps.min())
        case Aggregate.RATIO:
            assert metric.per is not None
            per = float(np.broadcast_to(metric.per(values), (rows,)).sum())
            return float(steps.sum() / per) if per else float("nan")


def _prefixed(space: str, columns: Columns) -> dict[str, Batch]:
    return {f"{space}.{name}": np.asarray(column, dtype=np.float64) for name, column in columns.items()}


def _legal_taken(program: Program, before: Values, actions: Batch) -> Batch:
    """(rows,): 1 where every factor's choice was legal in the state before."""
    rows = actions.shape[0]
    legal = masks(program, before, rows)
    taken = np.ones(rows)
    start = 0
    for position, term in enumerate(program.design.action.terms):
        width = term.choices or 2
        choice = np.clip(actions[:, position].astype(np.intp), 0, width - 1)
        taken = np.minimum(taken, legal[np.arange(rows), start + choice])
        start += width
    return taken
