"""First of all: the verdict, and the numbers it rests on."""

from __future__ import annotations

from kit.contracts.outcomes import Verdict
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.lookups import best_other_row, better, measured, ranked, readable, trained_row
from services.reporter.marks import code, inline, interval, number, table, unit


def summary(report: ReportRequest, prose: Prose) -> str:
    verdict, ladder = report.outcome.verdict, report.outcome.ladder
    if verdict is None:
        findings = (*report.outcome.findings, *report.check.errors)
        why = inline(findings[0].message) if findings else prose.fill("no_reason")
        return prose.fill("summary_not_trained", title=inline(report.design.title), why=why)
    primary = report.design.metrics[0]
    rows = [
        (inline(readable(row.policy)), interval(measured(row, primary.name)), interval(row.reward))
        for row in (ranked(ladder)[::-1] if ladder else ())
    ]
    return prose.fill(
        "summary",
        title=inline(report.design.title),
        verdict=readable(verdict.kind.value),
        meaning=prose.fill(f"verdict_{verdict.kind.value.lower()}"),
        reason=" ".join(inline(text) for text in (verdict.reason, verdict.remedy) if text),
        next=_next(verdict, prose),
        gain=_gain(report, prose),
        table=table(
            ("policy", f"{inline(readable(primary.name))}{unit(primary.unit)}, {better(primary)}", "reward an episode"),
            rows,
            right=(1, 2),
        ),
    )


def _next(verdict: Verdict, prose: Prose) -> str:
    """Who should act, and which component explains it; nothing where nothing is wrong and nothing explains."""
    said = []
    if verdict.suggested_timesteps is not None:
        said.append(prose.fill("next_steps", steps=number(verdict.suggested_timesteps)))
    elif verdict.blame is not None:
        said.append(prose.fill(f"next_{verdict.blame.value.lower()}"))
    if verdict.component:
        said.append(prose.fill("explained", component=code(verdict.component)))
    return " ".join(said)


def _gain(report: ReportRequest, prose: Prose) -> str:
    """The trained policy against the best of the others, in per cent where that has a meaning."""
    trained, other = trained_row(report), best_other_row(report)
    primary = report.design.metrics[0]
    ours = measured(trained, primary.name) if trained else None
    theirs = measured(other, primary.name) if other else None
    if ours is None or theirs is None or other is None or theirs.mean == 0:
        return prose.fill("gain_unknown", metric=inline(readable(primary.name)))
    change = 100 * (ours.mean - theirs.mean) / abs(theirs.mean)
    return prose.fill(
        "gain_higher" if change >= 0 else "gain_lower",
        metric=inline(readable(primary.name)),
        ours=number(ours.mean),
        theirs=number(theirs.mean),
        change=number(float(f"{abs(change):.2g}")),
        other=inline(readable(other.policy)),
        direction=better(primary),
    )
