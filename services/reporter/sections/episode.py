"""One test episode that shows it: the trained policy beside the best rule, on the same seed."""

from __future__ import annotations

from kit.prose import Prose
from services.reporter.lookups import readable
from services.reporter.marks import inline, number, table
from services.reporter.material import Material


def episode(material: Material, prose: Prose) -> str:
    """Nothing where nothing was traced."""
    if not material.traces:
        return ""
    design = material.report.design
    rows = [
        (
            inline(readable(traced.policy)),
            str(len(traced.columns["step"])),
            number(float(traced.columns["reward"].sum())),
            *(number(float(traced.columns[f"component.{one.name}"].sum())) for one in design.reward),
        )
        for traced in material.traces
        if all(name in traced.columns for name in ("reward", *(f"component.{one.name}" for one in design.reward)))
    ]
    head = ("policy", "steps", "reward", *(inline(readable(component.name)) for component in design.reward))
    return prose.fill("episode", seed=material.traces[0].seed, table=table(head, rows, right=range(1, len(head))))
