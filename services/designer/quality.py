"""Quality: how much of a valid design's state is pinned down, and what the linter warns of."""

from __future__ import annotations

from dataclasses import dataclass

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.contracts.formulas.program import compile_design
from kit.contracts.linting import lint, pinned


@dataclass(frozen=True)
class Quality:
    """pinned, loose: names of state variables, in the design's order."""

    pinned: tuple[str, ...]
    loose: tuple[str, ...]
    warnings: tuple[Finding, ...]

    @property
    def share(self) -> float:
        """Of the state variables that are pinned down, in [0, 1]."""
        return len(self.pinned) / (len(self.pinned) + len(self.loose))

    def better_than(self, other: Quality, enough: float) -> bool:
        """By share as far as it is not `enough`, then by fewer warnings."""
        return (min(self.share, enough), -len(self.warnings)) > (min(other.share, enough), -len(other.warnings))


def quality_of(design: EnvDesign) -> Quality:
    """design: one in which the linter finds no error."""
    names = pinned(compile_design(design))
    return Quality(
        pinned=tuple(variable.name for variable in design.state if variable.name in names),
        loose=tuple(variable.name for variable in design.state if variable.name not in names),
        warnings=tuple(finding for finding in lint(design) if finding.severity is Severity.WARNING),
    )
