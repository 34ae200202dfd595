"""How every figure looks: a few colours with fixed meanings, little ink, direct labels, no global state."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator

from kit.contracts.outcomes import PolicyKind
from services.reporter.marks import number

INK: Final = "#20242b"
SOFT: Final = "#6b7280"
FAINT: Final = "#e5e7eb"
TRAINED: Final = "#0f62a8"
RULE: Final = "#c2681a"
COLOUR: Final = {
    PolicyKind.IDLE: "#9aa1ab",
    PolicyKind.RANDOM: "#9aa1ab",
    PolicyKind.CONSTANT: "#7d6b57",
    PolicyKind.HALF_TRAINED: "#7ba7d0",
    PolicyKind.BASELINE: RULE,
    PolicyKind.TRAINED: TRAINED,
}
SERIES: Final = ("#0f62a8", "#c2681a", "#4b8f5a", "#8a5a9e", "#b04a4a", "#5b7f95", "#a08a2e", "#7d6b57")
WIDTH_IN: Final = 9.0
DPI: Final = 160


def figure(height_in: float) -> Figure:
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12, wspace=0.06, hspace=0.06)
    made = Figure(figsize=(WIDTH_IN, height_in), dpi=DPI, facecolor="white", layout=layout)
    FigureCanvasAgg(made)
    return made


def plain(axes: Axes) -> None:
    """Only what is read stays: light lines to read along, and numbers."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, colors=SOFT, labelsize=9)
    axes.set_axisbelow(True)


def numbers(axes: Axes, x: bool = False, y: bool = False, most: int = 5, whole: bool = False) -> None:
    for wanted, axis in ((x, axes.xaxis), (y, axes.yaxis)):
        if wanted:
            axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=whole))
            axis.set_major_formatter(FuncFormatter(lambda value, _: number(float(f"{value:.6g}"))))


def heading(axes: Axes, title: str, note: str = "") -> None:
    """Left-aligned over the axes: what is shown, and in grey how to read it."""
    axes.set_title("")
    axes.annotate(
        title, (0, 1), (0, 20 if note else 8), xycoords="axes fraction", textcoords="offset points", fontsize=11,
        color=INK, fontweight="bold", annotation_clip=False,
    )  # fmt: skip
    if note:
        axes.annotate(
            note, (0, 1), (0, 7), xycoords="axes fraction", textcoords="offset points", fontsize=9, color=SOFT,
            annotation_clip=False,
        )  # fmt: skip


def apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Places near the wanted ones, at least `gap` from each other, in the same order."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    places = [wanted[place] for place in order]
    for _ in range(200):
        moved = False
        for lower in range(len(places) - 1):
            lack = gap - (places[lower + 1] - places[lower])
            if lack > gap * 1e-3:
                places[lower] -= lack / 2
                places[lower + 1] += lack / 2
                moved = True
        if not moved:
            break
    result = [0.0] * len(wanted)
    for place, value in zip(order, places, strict=True):
        result[place] = value
    return result


def png(made: Figure) -> bytes:
    """Without a date or a version inside, so that the same report has the same bytes."""
    for text in made.findobj(Text):
        text.set_parse_math(False)  # a dollar in a unit is a dollar
    buffer = io.BytesIO()
    made.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
