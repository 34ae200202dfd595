"""The linter's rules on parts of a design that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kit.contracts.design import Aggregate, Direction, VariableKind
from kit.contracts.findings import Finding, Severity
from kit.contracts.formulas.columns import moments, parameter_values
from kit.contracts.formulas.program import Program
from kit.contracts.linting.rules import Rule, fault
from kit.contracts.linting.states import ROWS, states, transition

ALIKE: Final = 0.999  # correlation of what is one formula but for scale


def invariant_at_reset(program: Program) -> Iterator[Finding]:
    """An invariant can hold at reset, where every flow is 0."""
    design, now = program.design, states(program.design)
    params = parameter_values(design)
    still = now | {v.name: np.zeros_like(now[v.name]) for v in design.state if v.flow}
    for name, compiled in program.invariants.items():
        if np.any(compiled(moments(params, now))) and not np.any(compiled(moments(params, still))):
            yield fault(
                "design.invariant_at_reset",
                Severity.ERROR,
                f"The invariant {name} can't hold at reset, where every flow is 0: {compiled.text}.",
                "Make it a law, which holds after steps only, or say it of stocks.",
            )


def law_not_whole(program: Program) -> Iterator[Finding]:
    """What a law sets a WHOLE variable to is a whole number."""
    whole = {f"state.{v.name}": v.name for v in program.design.state if v.kind is VariableKind.WHOLE}
    for law in program.laws.values():
        name = whole.get(law.left.text.partition("==")[0].strip())
        if name is not None and law.right is not None and not law.right.kind.whole:
            yield fault(
                "design.law_not_whole",
                Severity.WARNING,
                f"The law {law.name} sets {name}, which is WHOLE, to what need not be whole: {law.left.text}.",
                "Round it in the law, or make the variable REAL.",
            )


def reward_against_metric(program: Program) -> Iterator[Finding]:
    """A reward component that is the primary metric's formula is paid in the metric's direction."""
    design, primary = program.design, program.design.metrics[0]
    if primary.aggregate not in (Aggregate.SUM, Aggregate.MEAN):
        return
    now = states(design)
    values = transition(program, states(design, seed=1), now)
    wanted = np.broadcast_to(program.metrics[primary.name].formula(values), (ROWS,))
    for component in design.reward:
        paid = np.broadcast_to(program.components[component.name](values), (ROWS,))
        if not np.isfinite(paid + wanted).all() or np.ptp(paid) == 0 or np.ptp(wanted) == 0:
            continue
        alike = float(np.corrcoef(paid, wanted)[0, 1])
        good = alike * component.weight * (1 if primary.direction is Direction.HIGHER else -1)
        if abs(alike) > ALIKE and good < 0:
            yield fault(
                "design.reward_against_metric",
                Severity.WARNING,
                f"The reward component {component.name} moves with the primary metric {primary.name}, of which "
                f"{primary.direction.value.lower()} is better, and its weight {component.weight:g} pays for the other.",
                "Turn the sign of its weight.",
            )


CONTRADICTION_RULES: Final[tuple[Rule, ...]] = (invariant_at_reset, law_not_whole, reward_against_metric)
