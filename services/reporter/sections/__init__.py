"""The report's sections, each a function from the report to Markdown; the words are in prose/."""

from __future__ import annotations

from collections.abc import Collection

from kit.prose import Prose
from services.reporter.material import Material
from services.reporter.sections.again import again
from services.reporter.sections.checking import checking
from services.reporter.sections.design import design
from services.reporter.sections.episode import episode
from services.reporter.sections.history import costs
from services.reporter.sections.ladder import ladder
from services.reporter.sections.limits import assumptions, limits
from services.reporter.sections.problem import problem
from services.reporter.sections.summary import summary
from services.reporter.sections.training import training


def page(material: Material, prose: Prose, figures: Collection[str] = ()) -> str:
    """The whole of report.md. figures: the names of those that there are."""
    report, claims = material.report, material.claims
    filled = prose.fill(
        "report",
        summary=summary(report, prose),
        problem=problem(report, prose),
        ladder=ladder(report, prose),
        episode=episode(material, prose) if "episode.png" in figures else "",
        training=training(report, claims, prose, "course.png" in figures),
        checking=checking(report, prose),
        design=design(report, prose),
        assumptions=assumptions(report, prose),
        limits=limits(report, claims, prose),
        costs=costs(report, prose),
        again=again(report, claims, prose),
    )
    return f"{filled}\n"
