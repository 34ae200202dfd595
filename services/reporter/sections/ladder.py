"""The policy against its baselines, on every metric, with intervals."""

from __future__ import annotations

from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.lookups import better, measured, ranked, readable
from services.reporter.marks import inline, interval, number, table, unit


def ladder(report: ReportRequest, prose: Prose) -> str:
    of = report.outcome.ladder
    if of is None or not of.rows:
        return prose.fill("no_ladder")
    rows = ranked(of)[::-1]
    policies = [inline(readable(row.policy)) for row in rows]
    by_metric = [
        (
            f"{inline(readable(metric.name))}{unit(metric.unit)}, {better(metric)}",
            *(interval(measured(row, metric.name)) for row in rows),
        )
        for metric in report.design.metrics
    ]
    paid = ("reward an episode", *(interval(row.reward) for row in rows))
    names = [component.name for component in report.design.reward]
    shares = []
    for name in names:
        values = [next((one.value for one in row.components if one.name == name), None) for row in rows]
        shares.append((inline(readable(name)), *map(number, values)))
    numbers = range(1, len(rows) + 1)
    return prose.fill(
        "ladder",
        episodes=rows[0].episodes,
        first_seed=of.first_seed,
        table=table(("", *policies), [*by_metric, paid], right=numbers),
        components=table(("", *policies), shares, right=numbers),
    )
