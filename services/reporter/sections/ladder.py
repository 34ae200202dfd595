"""The policy against its baselines, on every metric, with intervals."""

from __future__ import annotations

from kit.contracts.outcomes import Ladder
from kit.contracts.reports import ReportRequest
from kit.prose import Prose
from services.reporter.lookups import RANK, better, measured, ranked, readable
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
    nominal = prose.fill(
        "ladder",
        episodes=rows[0].episodes,
        first_seed=of.first_seed,
        table=table(("", *policies), [*by_metric, paid], right=numbers),
        components=table(("", *policies), shares, right=numbers),
    )
    return nominal + _randomised(report, of, prose)


def _randomised(report: ReportRequest, of: Ladder, prose: Prose) -> str:
    """How much of it holds where the world is not quite as the design says; nothing where no parameter has a range."""
    if not of.randomised:
        return ""
    drawn = [one for one in report.design.parameters if one.ranged]
    primary = report.design.metrics[0]
    lines = []
    for row in sorted(of.randomised, key=lambda one: RANK.index(one.kind), reverse=True):
        same = next(one for one in of.rows if one.policy == row.policy)
        each = (interval(measured(one, primary.name)) for one in (same, row))
        lines.append((inline(readable(row.policy)), *each, interval(row.reward)))
    name = f"{inline(readable(primary.name))}{unit(primary.unit)}, {better(primary)}"
    ranges = [f"{inline(readable(one.name))} {number(one.low)} to {number(one.high)}{unit(one.unit)}" for one in drawn]
    return prose.fill(
        "randomised",
        ranges="; ".join(ranges),
        episodes=of.randomised[0].episodes,
        table=table(("", name, "the same, drawn", "reward, drawn"), lines, right=range(1, 4)),
    )
