"""How the run came here: what the user changed, what else was tried, and what the language models cost."""

from __future__ import annotations

from kit.contracts.reports import Attempt, ReportRequest
from kit.contracts.spending import Spent, Usage
from kit.prose import Prose, fenced
from services.reporter.lookups import better, readable
from services.reporter.marks import NOTHING, inline, number, table, unit

MOST_DIFF = 20_000
MOST_CALLS = 60


def review(report: ReportRequest, prose: Prose) -> str:
    """Nothing where the user changed nothing."""
    if not report.review_diff.strip():
        return ""
    return prose.fill("review", diff=fenced(report.review_diff[:MOST_DIFF], "diff"))


def others(report: ReportRequest, prose: Prose) -> str:
    """Nothing where there was only one attempt, and none was meant to follow it."""
    note = prose.fill("note", note=inline(report.note, 1000)) if report.note else ""
    if not report.others:
        return note
    primary = report.design.metrics[0]
    chosen = report.outcome.validation_primary
    rows = [(str(n), *_attempt(one, primary.name)) for n, one in enumerate(report.others, 1)]
    verdict = report.outcome.verdict
    rows.append(("chosen", readable(verdict.kind.value).lower() if verdict else NOTHING, number(chosen), NOTHING))
    metric = f"{inline(readable(primary.name))}{unit(primary.unit)} on validation seeds, {better(primary)}"
    head = ("attempt", "verdict", metric, "why it was not chosen")
    tried = prose.fill("others", count=len(report.others), table=table(head, rows, right=(2,)))
    return f"{tried}\n\n{note}" if note else tried


def _attempt(one: Attempt, primary: str) -> tuple[str, str, str]:
    outcome = one.outcome
    if outcome.verdict is None:
        why = outcome.findings[0].message if outcome.findings else "it could not be trained"
        return NOTHING, NOTHING, inline(why)
    same = one.design.metrics[0].name == primary
    measured = number(outcome.validation_primary) if same else f"{NOTHING} (another metric)"
    return readable(outcome.verdict.kind.value).lower(), measured, inline(outcome.verdict.reason, 400)


def costs(report: ReportRequest, prose: Prose) -> str:
    """Nothing where no language model was called."""
    if not report.usages:
        return ""
    spent = Spent()
    for usage in report.usages:
        spent = spent.plus(usage)
    rows = [_usage(one) for one in report.usages[:MOST_CALLS]]
    rows.append(("**all**", "", number(spent.input_tokens), "", number(spent.output_tokens), _dollars(spent.cost_usd)))
    head = ("model", "for", "tokens in", "of these cached", "tokens out", "US dollars")
    page = "costs_partly" if spent.unpriced_calls else "costs"
    blanks = {"unpriced": spent.unpriced_calls} if spent.unpriced_calls else {}
    return prose.fill(page, calls=spent.calls, table=table(head, rows, right=(2, 3, 4, 5)), **blanks)


def _usage(one: Usage) -> tuple[str, ...]:
    price = NOTHING if one.cost_usd is None else _dollars(one.cost_usd)
    counts = (number(one.input_tokens), number(one.cached_tokens), number(one.output_tokens))
    return inline(one.model, 60), inline(one.purpose, 60), *counts, price


def _dollars(value: float) -> str:
    return f"{value:.4f}"
