"""The linter's rules by value: formulas computed in states within their declared bounds, before any code is written.

The states are drawn at random, so they need not be reachable; a rule speaks only of what holds in every one of them,
and not in the same states once the suspect is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kit.contracts.design import VariableKind
from kit.contracts.findings import Finding, Severity
from kit.contracts.formulas.batches import flat
from kit.contracts.formulas.columns import (
    action_values,
    masks,
    moments,
    observation_values,
    parameter_values,
    term_width,
)
from kit.contracts.formulas.compiler import Compiled, Values
from kit.contracts.formulas.program import Program
from kit.contracts.linting.rules import Rule, fault
from kit.contracts.linting.states import ROWS, between, states, transition


def no_value_without_flows(program: Program) -> Iterator[Finding]:
    """Formulas have a value where nothing flowed: at reset always, and in a step in which nothing happens."""
    design, state = program.design, states(program.design)
    still = state | {v.name: np.zeros_like(state[v.name]) for v in design.state if v.flow}
    params = parameter_values(design)
    for name, compiled in _of_a_moment(program).items():
        if _lost(compiled, moments(params, state), moments(params, still)):
            yield _no_value(Severity.ERROR, f"{name} has no value at reset, where every flow is 0", compiled)
    before = states(design, seed=1)
    moving, standing = (transition(program, before, after) for after in (state, still))
    for name, compiled in _of_a_step(program).items():
        if _lost(compiled, moving, standing):
            yield _no_value(Severity.NOTE, f"{name} has no value in a step in which every flow is 0", compiled)


def no_value_at_a_bound(program: Program) -> Iterator[Finding]:
    """Observations have a value where a counter or an index is at its declared bound, as at the end of an episode."""
    design, state = program.design, states(program.design)
    params = parameter_values(design)
    usual = moments(params, state)
    for variable in design.state:
        if variable.kind is not VariableKind.WHOLE or variable.flow:
            continue
        for bound in (variable.low, variable.high):
            there = moments(params, state | {variable.name: np.full_like(state[variable.name], bound)})
            for name, compiled in _of_a_moment(program).items():
                if f"state.{variable.name}" in compiled.names and _lost(compiled, usual, there):
                    where = f"{name} has no value where {variable.name} is {bound:g}, which its bounds allow"
                    yield _no_value(Severity.WARNING, where, compiled)


def no_value_of_a_baseline(program: Program) -> Iterator[Finding]:
    """A baseline has a value for every observation within the declared bounds, zeros and ends included."""
    design = program.design
    seen = np.concatenate([between(term.low, term.high, (term.size,)) for term in design.observation], axis=1)
    actions = np.zeros((ROWS, sum(term_width(design, term) for term in design.action.terms)))
    usual = {**parameter_values(design), **action_values(design, actions), **observation_values(design, seen)}
    for name, terms in program.baselines.items():
        for observed in design.observation:
            for value in sorted({observed.low, observed.high, min(max(0.0, observed.low), observed.high)}):
                there = usual | {f"obs.{observed.name}": np.full_like(usual[f"obs.{observed.name}"], value)}
                for compiled in terms.values():
                    if f"obs.{observed.name}" in compiled.names and _lost(compiled, usual, there):
                        where = f"The baseline {name} has no value where obs.{observed.name} is {value:g}"
                        likely = Severity.WARNING if observed.size == 1 else Severity.NOTE
                        yield _no_value(likely, where, compiled)


def never_a_value(program: Program) -> Iterator[Finding]:
    """A formula has a value in some state at least; an index out of bounds, for one, never has."""
    design = program.design
    now = states(design)
    moment, step = moments(parameter_values(design), now), transition(program, states(design, seed=1), now)
    for formulas, values in ((_of_a_moment(program), moment), (_of_a_step(program), step)):
        for name, compiled in formulas.items():
            if not np.isfinite(flat(compiled(values))).all(axis=1).any():
                yield _no_value(Severity.WARNING, f"{name} has no value in any state that was tried", compiled)


def observation_shows_nothing(program: Program) -> Iterator[Finding]:
    """An observation term depends on the state, and is not cut off by its bounds in every state."""
    values = moments(parameter_values(program.design), states(program.design))
    for term in program.design.observation:
        compiled = program.observation[term.name]
        if compiled is None:
            continue
        if not any(name.startswith("state.") for name in compiled.names):
            yield fault(
                "design.observation_constant",
                Severity.WARNING,
                f"The observation term {term.name} reads no state and never changes: {compiled.text}.",
                "Drop it; a policy learns nothing from a constant.",
            )
            continue
        found = flat(compiled(values))
        if np.isfinite(found).any() and (np.all(found < term.low) or np.all(found > term.high)):
            yield fault(
                "design.observation_cut_off",
                Severity.WARNING,
                f"The observation term {term.name} lies outside its bounds [{term.low:g}, {term.high:g}] in every "
                "state that was tried, so it is always cut off.",
                "Correct its bounds or its scale.",
                evidence=f"{compiled.text} gives {np.nanmin(found):.4g} to {np.nanmax(found):.4g}",
            )


def no_legal_choice(program: Program) -> Iterator[Finding]:
    """Some choice of every term is legal: a masked policy has to choose something."""
    if not program.design.action.masked:
        return
    legal = masks(program, moments(parameter_values(program.design), states(program.design)), ROWS)
    start = 0
    for term in program.design.action.terms:
        width = term.choices or 2
        never = not np.nan_to_num(legal[:, start : start + width]).any()
        start += width
        if never:
            yield fault(
                "design.no_legal_choice",
                Severity.WARNING,
                f"No choice of {term.name} is legal in any of the states that were tried.",
                "Let one choice, such as waiting, always be legal.",
            )


def _of_a_moment(program: Program) -> dict[str, Compiled]:
    """What is computed in every state, the last of an episode too."""
    found = {f"The observation term {name}": c for name, c in program.observation.items() if c is not None}
    return found | ({"The potential": program.potential} if program.potential is not None else {})


def _of_a_step(program: Program) -> dict[str, Compiled]:
    found = {f"The reward component {name}": compiled for name, compiled in program.components.items()}
    found |= {f"The ending {name}": compiled for name, compiled in program.endings.items()}
    return found | {f"The metric {name}": metric.formula for name, metric in program.metrics.items()}


def _lost(compiled: Compiled, usual: Values, suspect: Values) -> bool:
    """Whether the suspect change takes the value away in every state, most of which have one without it."""
    with_it = np.isfinite(flat(compiled(suspect))).all(axis=1)
    if with_it.any():
        return False
    return bool(np.isfinite(flat(compiled(usual))).all(axis=1).mean() > 0.5)


def _no_value(severity: Severity, what: str, compiled: Compiled) -> Finding:
    return fault(
        "design.no_value",
        severity,
        f"{what}: {compiled.text}.",
        "Guard what is divided by, indexed or taken the root or logarithm of: a / max(b, 1), v[min(i, 9)].",
    )


VALUE_RULES: Final[tuple[Rule, ...]] = (
    never_a_value,
    no_value_without_flows,
    no_value_at_a_bound,
    no_value_of_a_baseline,
    observation_shows_nothing,
    no_legal_choice,
)
