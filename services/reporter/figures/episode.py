"""episode.png: one test episode of the trained policy beside the best rule on the same seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from services.reporter.figures import style
from services.reporter.lookups import readable, titled
from services.reporter.material import Material
from services.reporter.traces import Traced

MOST_COMPONENTS: Final = 3
MOST_ACTIONS: Final = 3
MOST_SEEN: Final = 3
CROWDED: Final = 120  # steps; of a longer episode what goes up and down is shown in part
SHOWN: Final = 60
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    column: str
    title: str
    note: str
    summed: bool = False
    stepped: bool = False


def episode_figure(material: Material) -> bytes | None:
    """None where nothing was traced."""
    traces = material.traces[:2]
    if not traces or not len(traces[0].columns.get("step", ())):
        return None
    panels = _panels(material, traces)
    made = style.figure(0.5 + 1.35 * len(panels))
    longest = max(len(one.columns["step"]) for one in traces)
    for axes, panel in zip(np.atleast_1d(made.subplots(len(panels), 1)), panels, strict=True):
        most = longest if panel.summed or longest <= CROWDED else SHOWN
        note = panel.note if most == longest else f"{panel.note}; the first {SHOWN} of {longest} steps"
        style.heading(axes, panel.title, note)
        _draw(axes, panel, traces, most)
    axes.set_xlabel("step of the episode", color=style.SOFT, fontsize=9)
    return style.png(made)


def _panels(material: Material, traces: tuple[Traced, ...]) -> list[Panel]:
    """Reward, primary metric, the components that differ most, actions, and the first things seen."""
    design = material.report.design
    primary = design.metrics[0]
    found = [
        Panel("reward", "Reward so far", "summed over the steps; by the design's formula", summed=True),
        Panel(f"metric.{primary.name}", titled(primary.name, primary.unit), "the step's part of the primary metric"),
    ]
    if len(traces) == 2:
        first, second = traces
        apart = {
            component.name: abs(
                _total(first, f"component.{component.name}") - _total(second, f"component.{component.name}")
            )
            for component in design.reward
        }
        for name in sorted(apart, key=lambda one: -apart[one])[:MOST_COMPONENTS]:
            note = "a component of the reward, weighted, summed over the steps"
            found.append(Panel(f"component.{name}", readable(name).capitalize(), note, summed=True))
    columns = list(traces[0].columns)
    for space, most, note in (("action.", MOST_ACTIONS, "what was done"), ("obs.", MOST_SEEN, "what was seen")):
        for name in [one for one in columns if one.startswith(space)][:most]:
            short = readable(name.removeprefix(space)).capitalize()
            found.append(Panel(name, short, note, stepped=space == "action."))
    return [panel for panel in found if all(panel.column in one.columns for one in traces)]


def _total(traced: Traced, column: str) -> float:
    return float(np.nansum(traced.columns.get(column, np.zeros(1))))


def _draw(axes: Axes, panel: Panel, traces: tuple[Traced, ...], most: int) -> None:
    style.plain(axes)
    axes.grid(axis="y", color=style.FAINT, linewidth=0.8)
    ends, texts, colours = [], [], []
    for traced, colour in zip(traces[::-1], (style.RULE, style.TRAINED)[-len(traces) :], strict=True):
        values = traced.columns[panel.column]
        values = (np.nancumsum(values) if panel.summed else values)[:most]
        drawn = "steps-post" if panel.stepped else "default"
        axes.plot(
            traced.columns["step"][:most], values, color=colour, linewidth=1.6, alpha=0.9, drawstyle=drawn,
            marker="o" if len(values) < 2 else "", markersize=4,
        )  # fmt: skip
        if len(values) and np.isfinite(values[-1]):
            ends.append(float(values[-1]))
            texts.append(readable(traced.policy))
            colours.append(colour)
    low, high = axes.get_ylim()
    for place, text, colour in zip(style.apart(ends, 0.2 * (high - low)), texts, colours, strict=True):
        axes.annotate(
            text, (1, place), (8, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=9, color=colour, annotation_clip=False,
        )  # fmt: skip
    style.numbers(axes, y=True, most=3)
    style.numbers(axes, x=True, most=8, whole=True)
