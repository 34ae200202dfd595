"""States drawn at random within their declared bounds, to compute formulas in before there is an environment."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from kit.contracts.design import EnvDesign, StateVariable, VariableKind
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import parameter_values, term_width, transitions
from kit.contracts.formulas.compiler import Values
from kit.contracts.formulas.program import Program

ROWS: Final = 64
MOST_NUMBERS: Final = 60_000  # in state, observation and action together; the largest image has 49,152
MOST_CELLS: Final = 250_000  # of one formula
DECADES: Final = 4.0  # bounds are often far wider than what is usual, so small values are drawn too

MOST_WORK: Final = 20_000_000  # cells of all formulas, as often as they are computed: about a second

State = dict[str, Batch]


def small_enough(program: Program) -> bool:
    """Whether the formulas can be computed here, beside a server: a design is another's word, and may be a bomb."""
    design = program.design
    sizes = [prod(variable.shape) for variable in design.state] + [term.size for term in design.observation]
    sizes += [term_width(design, term) * (term.choices or 1) for term in design.action.terms]
    equations = (*program.laws.values(), *program.starts.values())
    laws = [side for law in equations for side in (law.left, law.right)]
    metrics = [part for metric in program.metrics.values() for part in (metric.formula, metric.per)]
    rules = [compiled for terms in program.baselines.values() for compiled in terms.values()]
    draws = [part for one in program.draws.values() for part in (one.formula, one.low, one.high, one.mean)]
    parts = [
        *draws,
        *program.components.values(),
        *program.endings.values(),
        *program.invariants.values(),
        *rules,
        *laws,
    ]
    parts += [*program.observation.values(), *program.legality.values(), *metrics, *draws, program.potential]
    cells = [compiled.cells for compiled in parts if compiled is not None]
    return sum(sizes) <= MOST_NUMBERS and max(cells) <= MOST_CELLS and sum(cells) * len(sizes) <= MOST_WORK


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
