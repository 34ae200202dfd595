"""Constants: policies that always do the same; what does not beat the best of them has learned nothing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from kit.contracts.design import ActionKind, ActionTerm, EnvDesign
from kit.contracts.formulas.batches import Batch
from kit.inside.candidate import Policy, Seen
from services.trainer.inside.policies import each_term

MOST_CONSTANTS: Final = 16
_FEW_LEVELS: Final = 5  # where there are so many terms that they all go up together


def constants(design: EnvDesign) -> dict[str, Policy]:
    """At most MOST_CONSTANTS policies that always do the same, by name: a grid over the terms, from lowest to highest.

    Where the constant choice is illegal, the first legal one is taken.
    """
    terms = design.action.terms
    levels = int(MOST_CONSTANTS ** (1 / len(terms)) + 1e-9)
    if design.action.kind is ActionKind.BOX and levels % 2 == 0:
        levels -= 1  # then the middle is among them
    if levels > 1:
        grid = list(itertools.product(*(_levels(term, levels) for term in terms)))
    else:
        ladders = [np.linspace(*_ends(term), _FEW_LEVELS) for term in terms]
        grid = list(zip(*ladders, strict=True))
        if design.action.kind is not ActionKind.BOX:
            grid = list(dict.fromkeys(tuple(float(round(value)) for value in row) for row in grid))
    return {_named(terms, row): _always(design, row) for row in grid}


def _ends(term: ActionTerm) -> tuple[float, float]:
    if term.low is not None and term.high is not None:
        return term.low, term.high
    return 0.0, (term.choices or 2) - 1.0


def _levels(term: ActionTerm, levels: int) -> list[float]:
    low, high = _ends(term)
    if term.low is not None:
        return [float(value) for value in np.linspace(low, high, levels)]
    return sorted({float(round(value)) for value in np.linspace(low, high, min(levels, int(high) + 1))})


def _always(design: EnvDesign, row: Sequence[float]) -> Policy:
    if design.action.kind is ActionKind.BOX:
        numbers = np.concatenate(
            [np.full(term.size, value) for term, value in zip(design.action.terms, row, strict=True)]
        )
        return lambda seen: np.tile(numbers, (len(seen.seeds), 1))

    def choose(seen: Seen) -> Batch:
        wanted = iter(int(value) for value in row)

        def one(legal: np.ndarray) -> np.ndarray:
            choice = next(wanted)
            return np.where(legal[:, choice], choice, legal.argmax(axis=1))

        return each_term(design, seen, one)

    return choose


def _named(terms: Sequence[ActionTerm], row: Sequence[float]) -> str:
    """ "always move right", "always heat 0.5, fan 1"."""
    said = [
        f"{term.name} {term.labels[int(value)] if term.labels else f'{value:.3g}'}"
        for term, value in zip(terms, row, strict=True)
    ]
    return f"always {', '.join(said)}"
