"""How the environment was tested, what was found, and what was repaired on the way."""

from __future__ import annotations

from collections.abc import Sequence

from kit.contracts.findings import Finding, Severity
from kit.contracts.formulas import FormulaError, compile_design
from kit.contracts.linting import pinned
from kit.contracts.reports import ReportRequest
from kit.contracts.runs import Draft
from kit.prose import Prose, fenced
from services.reporter.marks import NOTHING, bullets, code, duration, inline, number, table

ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
MOST_FINDINGS = 20
MOST_TRACEBACK = 1500


def checking(report: ReportRequest, prose: Prose) -> str:
    check = report.check
    fixes = len(report.drafts) - 1
    return prose.fill(
        "checking",
        episodes=number(check.episodes),
        steps=number(check.steps),
        time=duration(check.wall_s),
        groups=", ".join(inline(group) for group in check.ran) or NOTHING,
        skipped=bullets(f"{inline(group.group)}: {inline(group.why)}" for group in check.skipped)
        or prose.fill("nothing_skipped"),
        findings=_findings(check.findings, prose),
        pinned=_pinned(report, prose),
        repairs=_repairs(report.drafts, prose) if fixes > 0 else prose.fill("no_repairs"),
    )


def _findings(findings: Sequence[Finding], prose: Prose) -> str:
    if not findings:
        return prose.fill("no_findings")
    worst = sorted(findings, key=lambda finding: ORDER.index(finding.severity))
    rows = [
        (
            finding.severity.value.lower(),
            code(finding.check),
            inline(finding.message),
            inline(finding.evidence, 300) or NOTHING,
        )
        for finding in worst[:MOST_FINDINGS]
    ]
    more = len(findings) - len(rows)
    told = table(("", "check", "what was found", "what shows it"), rows)
    return told if more <= 0 else f"{told}\n\n{prose.fill('more_findings', more=more)}"


def _pinned(report: ReportRequest, prose: Prose) -> str:
    """The share of state variables that the design's laws, invariants and expectations say something about."""
    names = [variable.name for variable in report.design.state]
    try:
        held = pinned(compile_design(report.design))
    except FormulaError:
        return prose.fill("pinned_unknown")
    free = [code(name) for name in names if name not in held]
    share = f"{len(names) - len(free)} of {len(names)} ({100 * (1 - len(free) / len(names)):.0f} %)"
    page = "pinned_some" if free else "pinned_all"
    return prose.fill(page, share=share, **({"free": ", ".join(free)} if free else {}))


def _repairs(drafts: tuple[Draft, ...], prose: Prose) -> str:
    return "\n\n".join(_repair(n, draft, n == len(drafts) - 1, prose) for n, draft in enumerate(drafts))


def _repair(n: int, draft: Draft, last: bool, prose: Prose) -> str:
    origin = inline(draft.origin.detail)
    if not draft.findings:
        return prose.fill("draft_last" if last else "draft_unfaulted", number=n, origin=origin)
    first = draft.findings[0]
    told = prose.fill("draft_faulted", number=n, origin=origin, findings=_findings(draft.findings, prose))
    if not first.traceback:
        return told
    raised = first.traceback[-MOST_TRACEBACK:]
    return f"{told}\n\n{prose.fill('draft_raised', traceback=fenced(raised, 'text'))}"
