"""components.png: what each reward component added per episode when training began and when it ended."""

from __future__ import annotations

from kit.contracts.reports import ReportRequest
from services.reporter.figures import style
from services.reporter.lookups import readable
from services.reporter.marks import change, number, signed


def components_figure(report: ReportRequest) -> bytes | None:
    """None where training recorded no components."""
    training = report.outcome.training
    if training is None or not training.components:
        return None
    shares = training.components[::-1]
    made = style.figure(1.5 + 0.52 * len(shares))
    axes = made.subplots()
    style.plain(axes)
    axes.grid(axis="x", color=style.FAINT, linewidth=0.8)
    axes.axvline(0, color=style.SOFT, linewidth=0.8)
    style.heading(
        axes, "What each component adds to the reward of an episode", "weighted; ○ first training episodes, ● last"
    )
    for height, share in enumerate(shares):
        colour = style.TRAINED if share.last >= share.first else style.RULE
        axes.plot([share.first, share.last], [height, height], color=colour, linewidth=2.2, alpha=0.45)
        axes.plot([share.first], [height], marker="o", markersize=8, color="white", markeredgecolor=colour, mew=1.8)
        axes.plot([share.last], [height], marker="o", markersize=8, color=colour)
        text = f"{number(share.first)} → {number(share.last)}   ({signed(change(share.first, share.last))})"
        axes.annotate(
            text, (1, height), (8, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize=9, color=colour,
            annotation_clip=False,
        )  # fmt: skip
    axes.set_ylim(-0.6, len(shares) - 0.4)
    axes.set_yticks(range(len(shares)), [readable(share.name) for share in shares])
    for label in axes.get_yticklabels():
        label.set_color(style.INK)
        label.set_fontsize(10)
    axes.margins(x=0.06)
    style.numbers(axes, x=True, most=6)
    return style.png(made)
