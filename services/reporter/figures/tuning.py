"""tuning.png: the trials of a search for hyperparameters, in order, and the best so far."""

from __future__ import annotations

import numpy as np

from kit.contracts.design import Direction
from services.reporter.figures import style
from services.reporter.lookups import better, titled
from services.reporter.marks import number
from services.reporter.material import Material


def tuning_figure(material: Material) -> bytes | None:
    """None where there was no search, or no trial with a value."""
    tuning = material.report.outcome.tuning
    valued = [trial for trial in tuning.trials if trial.value is not None] if tuning else []
    if tuning is None or not valued:
        return None
    primary = material.report.design.metrics[0]
    at, values = np.array([trial.number for trial in valued]), np.array([trial.value for trial in valued], dtype=float)
    so_far = (np.maximum if primary.direction is Direction.HIGHER else np.minimum).accumulate(values)
    made = style.figure(3.2)
    axes = made.subplots()
    style.plain(axes)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    note = f"{better(primary)}; each trial on validation seeds in a fresh box; line: the best so far; ×: pruned"
    style.heading(axes, f"The search: {titled(primary.name, primary.unit)}", note)
    axes.plot(at, so_far, color=style.TRAINED, linewidth=1.6, drawstyle="steps-post", alpha=0.6)
    axes.plot(at, values, linestyle="", marker="o", markersize=6, color=style.SOFT)
    axes.axhline(float(values[0]), color=style.RULE, linewidth=1.3, dashes=(4, 3))
    best = float(so_far[-1])
    axes.plot([tuning.best], [best], marker="o", markersize=9, color=style.TRAINED)
    low, _ = axes.get_ylim()
    pruned = [trial.number for trial in tuning.trials if trial.value is None]
    axes.plot(pruned, [low] * len(pruned), linestyle="", marker="x", markersize=6, color=style.SOFT, clip_on=False)
    texts = [(float(values[0]), f"defaults {number(float(values[0]))}", style.RULE)]
    if tuning.best:
        texts.append((best, f"trial {tuning.best}: {number(best)}", style.TRAINED))
    span = axes.get_ylim()[1] - low
    for place, (_, text, colour) in zip(style.apart([one[0] for one in texts], 0.09 * span), texts, strict=True):
        axes.annotate(
            text, (1, place), (8, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=9, color=colour, annotation_clip=False,
        )  # fmt: skip
    axes.set_xlabel("trial", color=style.SOFT, fontsize=9)
    style.numbers(axes, y=True)
    style.numbers(axes, x=True, most=8, whole=True)
    return style.png(made)
