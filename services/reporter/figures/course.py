"""course.png: what each component added, and what each metric was, over the training's own episodes."""

from __future__ import annotations

from math import ceil
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from services.reporter.figures import style
from services.reporter.lookups import better, readable, titled
from services.reporter.material import Material

COLUMNS: Final = 3
MOST_METRICS: Final = 9
LEAST_POINTS: Final = 3
POINTS: Final = 60  # of each curve; more would show noise
Floats = NDArray[np.float64]


def course_figure(material: Material) -> bytes | None:
    """None where the training recorded too little to draw."""
    design, curve = material.report.design, material.claims.curve
    fits = [
        p for p in curve if len(p.components) == len(design.reward) and len(p.metrics) == len(design.metrics)
    ]  # fmt: skip
    if len(fits) < LEAST_POINTS:
        return None
    steps = np.array([p.timesteps for p in fits], dtype=np.float64)
    components = np.array([p.components for p in fits], dtype=np.float64)
    metrics = np.array([[np.nan if m is None else m for m in p.metrics] for p in fits], dtype=np.float64)
    shown = design.metrics[:MOST_METRICS]
    lines = ceil(len(shown) / COLUMNS)
    made = style.figure(3.4 + 1.75 * lines)
    grid = made.add_gridspec(1 + lines, COLUMNS, height_ratios=[3.0, *[1.5] * lines])
    top = made.add_subplot(grid[0, :])
    style.heading(
        top, "What the reward was made of, an episode", "mean of the training's own episodes, which explore; weighted"
    )
    _areas(top, *_thinned(steps, components), [readable(component.name) for component in design.reward])
    for place, metric in enumerate(shown):
        axes = made.add_subplot(grid[1 + place // COLUMNS, place % COLUMNS])
        style.heading(axes, titled(metric.name, metric.unit), better(metric))
        _line(axes, *_thinned(steps, metrics[:, place : place + 1]))
    return style.png(made)


def _thinned(steps: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Means of neighbouring points."""
    parts = np.array_split(np.arange(len(steps)), min(POINTS, len(steps)))
    with np.errstate(all="ignore"):
        means = [
            np.nanmean(values[part], axis=0) if np.isfinite(values[part]).any() else values[part][0] for part in parts
        ]
    return np.array([steps[part].mean() for part in parts]), np.array(means)


def _areas(axes: Axes, steps: Floats, values: Floats, names: list[str]) -> None:
    """Stacked: what pays above zero, what costs below."""
    style.plain(axes)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    up, down = np.zeros(len(steps)), np.zeros(len(steps))
    order = np.argsort(-np.abs(values).mean(axis=0))
    middles, texts, colours = [], [], []
    for rank, at in enumerate(order):
        colour = style.SERIES[rank % len(style.SERIES)]
        column = values[:, at]
        above, below = np.maximum(column, 0.0), np.minimum(column, 0.0)
        axes.fill_between(steps, up, up + above, color=colour, alpha=0.75, linewidth=0)
        axes.fill_between(steps, down, down + below, color=colour, alpha=0.75, linewidth=0)
        middles.append(float(up[-1] + above[-1] / 2 if above[-1] > -below[-1] else down[-1] + below[-1] / 2))
        texts.append(names[at])
        colours.append(colour)
        up, down = up + above, down + below
    axes.plot(steps, values.sum(axis=1), color=style.INK, linewidth=1.6)
    middles.append(float(values[-1].sum()))
    texts.append("all together")
    colours.append(style.INK)
    axes.axhline(0, color=style.SOFT, linewidth=0.8)
    axes.set_xlim(steps[0], steps[-1])
    low, high = axes.get_ylim()
    for place, text, colour in zip(style.apart(middles, 0.075 * (high - low)), texts, colours, strict=True):
        axes.annotate(
            text, (1, place), (8, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=9, color=colour, annotation_clip=False,
        )  # fmt: skip
    style.numbers(axes, x=True, y=True, most=6)
    axes.set_xlabel("environment steps", color=style.SOFT, fontsize=9)


def _line(axes: Axes, steps: Floats, values: Floats) -> None:
    style.plain(axes)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    axes.plot(steps, values[:, 0], color=style.TRAINED, linewidth=1.6)
    axes.set_xlim(steps[0], steps[-1])
    style.numbers(axes, x=True, y=True, most=3)
