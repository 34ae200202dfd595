"""The report's sections, each a function from the report to Markdown; the words are in prose/."""

from __future__ import annotations

from kit.contracts.runs import ReportRequest
from kit.prose import Prose
from services.reporter.claims import Claims
from services.reporter.sections.again import again
from services.reporter.sections.checking import checking
from services.reporter.sections.design import design
from services.reporter.sections.ladder import ladder
from services.reporter.sections.limits import assumptions, limits
from services.reporter.sections.problem import problem
from services.reporter.sections.summary import summary
from services.reporter.sections.training import training


def page(report: ReportRequest, claims: Claims, prose: Prose) -> str:
    """The whole of report.md."""
    filled = prose.fill(
        "report",
        summary=summary(report, prose),
        problem=problem(report, prose),
        ladder=ladder(report, prose),
        training=training(report, claims, prose),
        checking=checking(report, prose),
        design=design(report, prose),
        assumptions=assumptions(report, prose),
        limits=limits(report, claims, prose),
        again=again(report, claims, prose),
    )
    return f"{filled}\n"
