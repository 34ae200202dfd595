"""States drawn at random within their declared bounds, to compute formulas in before there is an environment."""

from __future__ import annotations

from typing import Final

import numpy as np

from kit.contracts.design import EnvDesign, StateVariable, VariableKind
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import parameter_values, transitions
from kit.contracts.formulas.compiler import Values
from kit.contracts.formulas.program import Program

ROWS: Final = 64
DECADES: Final = 4.0  # bounds are often far wider than what is usual, so small values are drawn too

State = dict[str, Batch]


def states(design: EnvDesign, seed: int = 0) -> State:
    """Every variable, (ROWS, *shape); they need not fit together."""
    return {variable.name: _drawn(variable, seed + 2 * place) for place, variable in enumerate(design.state)}


def _drawn(variable: StateVariable, seed: int) -> Batch:
    drawn = between(variable.low, variable.high, variable.shape, seed)
    return np.round(drawn) if variable.kind is VariableKind.WHOLE else drawn


def between(low: float, high: float, shape: tuple[int, ...], seed: int = 0) -> Batch:
    """(ROWS, *shape), strictly inside the bounds where they are apart, so that only the suspect is at one.

    Odd rows lie evenly between the bounds, even ones nearer to what is nearest to zero, by powers of ten.
    """
    rng = np.random.default_rng(seed)
    even = rng.uniform(0.02, 0.98, (ROWS, *shape))
    near = 10.0 ** -rng.uniform(0.0, DECADES, (ROWS, *shape)) * even
    origin = min(max(low, 0.0), high)
    end = np.where(rng.random((ROWS, *shape)) * (high - low) < high - origin, high, low)
    odd = (np.arange(ROWS) % 2).reshape(ROWS, *[1] * len(shape))
    return np.where(odd, low + (high - low) * even, origin + (end - origin) * near)


def transition(program: Program, before: State, after: State) -> Values:
    """What a transition formula sees between these states, by any actions."""
    design = program.design
    actions = [
        between(term.low or 0.0, term.high or 1.0, (term.size,))
        if term.choices is None and term.low is not None
        else np.floor(between(0, term.choices or 2, (1,)))
        for term in design.action.terms
    ]
    seen = np.concatenate([between(term.low, term.high, (term.size,)) for term in design.observation], axis=1)
    params = parameter_values(design)
    return transitions(program, params, before, np.concatenate(actions, axis=1), after, seen)
