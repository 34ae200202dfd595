"""ladder.png: every policy on the test seeds, by the primary metric first and then by everything else."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from matplotlib.axes import Axes

from kit.contracts.outcomes import LadderRow, PolicyKind
from kit.contracts.reports import ReportRequest
from services.reporter.figures import style
from services.reporter.lookups import REWARD, better, measured, ranked, readable, titled
from services.reporter.marks import number

COLUMNS: Final = 3
MOST_SMALL: Final = 9
FARTHEST: Final = 3.0  # spans of the competing policies that another may lie away and still be shown to scale


def ladder_figure(report: ReportRequest) -> bytes | None:
    """None where no ladder was measured."""
    if report.outcome.ladder is None or not report.outcome.ladder.rows:
        return None
    rows = ranked(report.outcome.ladder)[::-1]  # the trained policy on top
    primary, *others = report.design.metrics
    small = [(metric.name, metric.name, metric.unit, better(metric)) for metric in others]
    small = [*small, (REWARD, "reward an episode", "1", "what it was trained on")][:MOST_SMALL]
    lines = ceil(len(small) / COLUMNS)
    big_in, small_in = 0.75 + 0.36 * len(rows), 0.95 + 0.2 * len(rows)
    made = style.figure(big_in + lines * small_in)
    grid = made.add_gridspec(1 + lines, COLUMNS, height_ratios=[big_in, *[small_in] * lines])
    top = made.add_subplot(grid[0, :])
    episodes = rows[0].episodes
    note = f"the primary metric; {better(primary)}; mean of {episodes} episodes on test seeds, 95 % interval"
    style.heading(top, titled(primary.name, primary.unit), note)
    _dots(top, rows, primary.name, named=True, big=True)
    for place, (name, title, of, note) in enumerate(small):
        axes = made.add_subplot(grid[1 + place // COLUMNS, place % COLUMNS])
        style.heading(axes, titled(title, of), note)
        _dots(axes, rows, name, named=place % COLUMNS == 0)
    return style.png(made)


def _dots(axes: Axes, rows: Sequence[LadderRow], metric: str, named: bool, big: bool = False) -> None:
    """One line a policy. What lies far from the policies that compete is named at the edge, to keep these apart."""
    style.plain(axes)
    axes.grid(axis="x", color=style.FAINT, linewidth=0.8)
    low, high = _window(rows, metric)
    size = 9 if big else 8
    for height, row in enumerate(reversed(rows)):
        value = measured(row, metric)
        if value is None:
            continue
        colour = style.COLOUR[row.kind]
        if low <= value.mean <= high:
            axes.plot([value.low, value.high], [height, height], color=colour, linewidth=2.2, solid_capstyle="butt")
            axes.plot([value.mean], [height], marker="o", markersize=7 if big else 5, color=colour)
            if big:
                _say(axes, number(value.mean), value.high, height, colour, size, 10)
        elif value.mean > high:
            _say(axes, f"{number(value.mean)} →", high, height, colour, size, -2, "right")
        else:
            _say(axes, f"← {number(value.mean)}", low, height, colour, size, 2)
    axes.set_xlim(low, high)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_yticks(range(len(rows)), [readable(row.policy) if named else "" for row in reversed(rows)])
    for label, row in zip(axes.get_yticklabels(), reversed(rows), strict=True):
        label.set_color(style.COLOUR[row.kind])
        label.set_fontsize(10 if big else 8.5)
    style.numbers(axes, x=True, most=7 if big else 3)


def _window(rows: Sequence[LadderRow], metric: str) -> tuple[float, float]:
    """The policies that compete, and the others as far as they don't squeeze these."""
    found = [(row.kind, value) for row in rows if (value := measured(row, metric)) is not None]
    competing = [value for kind, value in found if kind in (PolicyKind.TRAINED, PolicyKind.BASELINE)]
    shown = competing or [value for _, value in found]
    if not shown:
        return 0.0, 1.0
    low, high = min(value.low for value in shown), max(value.high for value in shown)
    span = max(high - low, 0.02 * max(abs(low), abs(high)), 1e-9)
    for value in sorted((value for _, value in found), key=lambda one: abs(one.mean - (low + high) / 2)):
        if low - FARTHEST * span <= value.mean <= high + FARTHEST * span:
            low, high = min(low, value.low), max(high, value.high)
    margin = 0.12 * max(high - low, span)
    return low - margin, high + margin


def _say(axes: Axes, text: str, x: float, y: float, colour: str, size: float, shift: int, align: str = "left") -> None:
    axes.annotate(
        text, (x, y), (shift, 0), textcoords="offset points", va="center", ha=align, fontsize=size, color=colour
    )
