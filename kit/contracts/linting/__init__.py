"""The design linter: deterministic, before any code is written (catalogue: docs/design.md)."""

from __future__ import annotations

from typing import Final

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.formulas.program import ProgramError, compile_design
from kit.contracts.linting import rules
from kit.contracts.linting.contradictions import CONTRADICTION_RULES
from kit.contracts.linting.rules import pinned
from kit.contracts.linting.states import small_enough
from kit.contracts.linting.texts import TEXT_RULES, remedy
from kit.contracts.linting.values import VALUE_RULES

__all__ = ["RULES", "lint", "pinned"]

READING_RULES: Final[tuple[rules.Rule, ...]] = (*rules.RULES, *TEXT_RULES)
RULES: Final[tuple[rules.Rule, ...]] = (*READING_RULES, *CONTRADICTION_RULES, *VALUE_RULES)


def lint(design: EnvDesign) -> tuple[Finding, ...]:
    """Everything the rules find; formulas that can't be compiled are errors, and then no rule runs.

    Formulas too large to compute beside a server are only read.
    """
    try:
        program = compile_design(design)
    except ProgramError as problem:
        return tuple(
            Finding(
                check="design.formula",
                severity=Severity.ERROR,
                blame=Blame.DESIGN,
                message=f"{where.where}: {where.problem}",
                remedy=remedy(where.problem),
            )
            for where in problem.problems
        )
    chosen = RULES if small_enough(program) else READING_RULES
    return tuple(finding for rule in chosen for finding in rule(program))
