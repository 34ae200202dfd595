"""Lookups: what several sections and figures need to find in a report."""

from __future__ import annotations

from kit.contracts.design import Direction, Metric
from kit.contracts.outcomes import Interval, Ladder, LadderRow, PolicyKind
from kit.contracts.reports import ReportRequest

REWARD = "reward"
RANK = (
    PolicyKind.IDLE,
    PolicyKind.RANDOM,
    PolicyKind.CONSTANT,
    PolicyKind.BASELINE,
    PolicyKind.HALF_TRAINED,
    PolicyKind.TRAINED,
)
OF_TRAINING = (PolicyKind.HALF_TRAINED, PolicyKind.TRAINED)


def ranked(ladder: Ladder) -> tuple[LadderRow, ...]:
    """From the lowest rung to the trained policy."""
    return tuple(sorted(ladder.rows, key=lambda row: RANK.index(row.kind)))


def measured(row: LadderRow, metric: str) -> Interval | None:
    """The row's interval for a metric, or for REWARD; None where it has none."""
    if metric == REWARD:
        return row.reward
    return next((named.interval for named in row.metrics if named.name == metric), None)


def trained_row(report: ReportRequest) -> LadderRow | None:
    ladder = report.outcome.ladder
    return next((row for row in ladder.rows if row.kind is PolicyKind.TRAINED), None) if ladder else None


def best_other_row(report: ReportRequest) -> LadderRow | None:
    """The best policy on the primary metric that no training made."""
    ladder = report.outcome.ladder
    if ladder is None:
        return None
    primary = report.design.metrics[0]
    sign = 1 if primary.direction is Direction.HIGHER else -1
    scored = [
        (sign * value.mean, row)
        for row in ladder.rows
        if row.kind not in OF_TRAINING and (value := measured(row, primary.name)) is not None
    ]
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def better(metric: Metric) -> str:
    return "higher is better" if metric.direction is Direction.HIGHER else "lower is better"


def readable(name: str) -> str:
    """A name as a word of a sentence; one line, not too long."""
    return " ".join(name.replace("_", " ").split())[:60]


def titled(name: str, unit: str) -> str:
    """A name as a figure's heading, with its unit."""
    return readable(name).capitalize() + ("" if unit in ("", "1") else f" ({readable(unit)})")
