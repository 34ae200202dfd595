"""reward_curve.png: the reward and the primary metric while it trained, beside the policies it must beat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from kit.contracts.outcomes import Evaluation, LadderRow
from kit.contracts.reports import ReportRequest
from services.reporter.figures import style
from services.reporter.lookups import OF_TRAINING, better, measured, ranked, readable, titled
from services.reporter.marks import number


def reward_curve(report: ReportRequest) -> bytes | None:
    """None where there was no evaluation to draw."""
    training = report.outcome.training
    if training is None or not training.evaluations:
        return None
    primary = report.design.metrics[0]
    rows = ranked(report.outcome.ladder) if report.outcome.ladder else ()
    others = [row for row in rows if row.kind not in OF_TRAINING]
    made = style.figure(6.6)
    upper, lower = made.subplots(2, 1, sharex=True)
    steps = np.array([evaluation.timesteps for evaluation in training.evaluations])
    rewards = np.array([evaluation.mean_reward for evaluation in training.evaluations])
    spread = np.array([evaluation.std_reward for evaluation in training.evaluations])
    style.heading(
        upper, "Reward an episode", "mean of the evaluations on validation seeds; band: one standard deviation"
    )
    _panel(upper, steps, rewards, spread, [(row, row.reward.mean) for row in others])
    style.heading(lower, titled(primary.name, primary.unit), f"the primary metric; {better(primary)}")
    values = np.array([_value(evaluation, primary.name) for evaluation in training.evaluations])
    levels = [(row, value.mean) for row in others if (value := measured(row, primary.name)) is not None]
    _panel(lower, steps, values, np.zeros(len(values)), levels)
    lower.set_xlabel("environment steps", color=style.SOFT, fontsize=9)
    style.numbers(lower, x=True, most=6)
    return style.png(made)


def _value(evaluation: Evaluation, name: str) -> float:
    return next((metric.value for metric in evaluation.metrics if metric.name == name), float("nan"))


def _panel(
    axes: Axes,
    steps: np.ndarray,
    values: np.ndarray,
    spread: np.ndarray,
    levels: Sequence[tuple[LadderRow, float]],
) -> None:
    style.plain(axes)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    known = np.isfinite(values)
    lower, upper = (values - spread)[known], (values + spread)[known]
    axes.fill_between(steps[known], lower, upper, color=style.TRAINED, alpha=0.12, linewidth=0)
    axes.plot(
        steps[known], values[known], color=style.TRAINED, linewidth=2, solid_capstyle="round",
        marker="o" if known.sum() < 30 else "", markersize=4,
    )  # fmt: skip
    low, high = _window(values[known], np.concatenate([lower, upper]), [level for _, level in levels])
    axes.set_ylim(low, high)
    axes.set_xlim(0, steps.max() * 1.01)
    style.numbers(axes, y=True)
    _labels(axes, values[known], levels, low, high)


def _window(values: np.ndarray, edges: np.ndarray, levels: Sequence[float]) -> tuple[float, float]:
    """The curve with the edges of its band, and every level that does not make it flat."""
    shown = list(edges) or list(levels) or [0.0, 1.0]
    low, high = min(shown), max(shown)
    rise = float(values.max() - values.min()) if len(values) else high - low
    span = max(rise, 0.05 * max(abs(low), abs(high)), 1e-9)
    for level in sorted(levels, key=lambda one: abs(one - (low + high) / 2)):
        if low - span <= level <= high + span:
            low, high = min(low, level), max(high, level)
    margin = 0.08 * max(high - low, span)
    return low - margin, high + margin


def _labels(axes: Axes, values: np.ndarray, levels: Sequence[tuple[LadderRow, float]], low: float, high: float) -> None:
    """A line and a name for every level that is in sight; the others are named at the edge they lie beyond."""
    inside = [(row, level) for row, level in levels if low <= level <= high]
    for row, level in inside:
        axes.axhline(level, color=style.COLOUR[row.kind], linewidth=1.3, dashes=(4, 3))
    texts = [(level, f"{readable(row.policy)} {number(level)}", style.COLOUR[row.kind]) for row, level in inside]
    if len(values):
        texts.append((float(values[-1]), f"training {number(float(values[-1]))}", style.TRAINED))
    for (_, text, colour), place in zip(
        texts, style.apart([level for level, _, _ in texts], 0.09 * (high - low)), strict=True
    ):
        axes.annotate(
            text, (1, place), (8, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=9, color=colour, annotation_clip=False,
        )  # fmt: skip
    beyond = [
        f"{readable(row.policy)} {number(level)} {'above' if level > high else 'below'}"
        for row, level in levels
        if not low <= level <= high
    ]
    if beyond:
        axes.annotate(
            "off the chart: " + ", ".join(beyond), (1, 1), (0, 21), xycoords="axes fraction",
            textcoords="offset points", ha="right", fontsize=8.5, color=style.SOFT, annotation_clip=False,
        )  # fmt: skip
