"""What was asked, in the words of who asked, and where the design came from."""

from __future__ import annotations

from kit.contracts.reports import ReportRequest
from kit.contracts.runs import OriginKind
from kit.prose import Prose, fenced
from services.reporter.marks import inline
from services.reporter.sections.history import others, review


def problem(report: ReportRequest, prose: Prose) -> str:
    design = report.design
    return prose.fill(
        "problem",
        problem=fenced(report.problem, "text"),
        summary=inline(design.summary, 2000),
        origin=prose.fill(
            f"design_by_{report.design_origin.kind.value.lower()}", detail=inline(report.design_origin.detail)
        ),
        fit=inline(design.fit.why, 2000),
        code_origin=_code(report, prose),
        review=review(report, prose),
        others=others(report, prose),
    )


def _code(report: ReportRequest, prose: Prose) -> str:
    kinds = {draft.origin.kind for draft in report.drafts}
    if OriginKind.SCRIPTED in kinds:
        return prose.fill("code_scripted")
    return prose.fill("code_model" if OriginKind.MODEL in kinds else "code_library")
