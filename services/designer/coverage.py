"""Coverage: how much of a design's state its laws, invariants and expectations pin down."""

from __future__ import annotations

from dataclasses import dataclass

from kit.contracts.design import EnvDesign
from kit.contracts.formulas.program import compile_design
from kit.contracts.linting import pinned


@dataclass(frozen=True)
class Coverage:
    """pinned, loose: names of state variables, in the design's order."""

    pinned: tuple[str, ...]
    loose: tuple[str, ...]

    @property
    def share(self) -> float:
        """In [0, 1]."""
        return len(self.pinned) / (len(self.pinned) + len(self.loose))


def coverage_of(design: EnvDesign) -> Coverage:
    """design: one that the linter has compiled."""
    names = pinned(compile_design(design))
    return Coverage(
        pinned=tuple(variable.name for variable in design.state if variable.name in names),
        loose=tuple(variable.name for variable in design.state if variable.name not in names),
    )
