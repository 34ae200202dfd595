"""From logged rows to what each episode earned and was worth, by the design's formulas, in batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kit.contracts.design import Aggregate
from kit.contracts.formulas import Compiled, Program, Values, transitions
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import aggregate, reward
from kit.contracts.formulas.compiler import Kind
from kit.contracts.formulas.parts import CompiledMetric
from services.trainer.inside.rows import REWARD, STEP, Layout
from services.trainer.inside.sights import observed

Indices = NDArray[np.intp]

_STEPS = Compiled("steps", Kind(), frozenset({"steps"}), lambda values: values["steps"])
_PER = Compiled("per", Kind(), frozenset({"per"}), lambda values: values["per"])


@dataclass(frozen=True)
class EpisodeValues:
    """One row an episode. metrics: (episodes, metrics), NaN where there is no value; components are weighted sums."""

    paid: Batch  # the reward, as the environment paid it
    rewards: Batch  # the reward, by formula
    lengths: Batch
    metrics: Batch
    components: Batch
    gap: float  # the largest scaled difference between the paid reward and the formulas' reward

    @property
    def count(self) -> int:
        return len(self.rewards)


class Episodes:
    """Evaluates a design on complete episodes; `layout` says how their rows are laid out."""

    def __init__(self, program: Program, layout: Layout) -> None:
        self._program = program
        self._layout = layout

    def of(self, rows: Batch) -> EpisodeValues:
        """rows: whole episodes one after the other, each from its reset row (step 0) to its last step."""
        resets = np.flatnonzero(rows[:, STEP] == 0)
        after = np.flatnonzero(rows[:, STEP] != 0)
        starts = resets - np.arange(len(resets))  # where each episode starts among the steps alone
        stops = np.append(starts[1:], len(after))
        kept = stops > starts
        starts, stops = starts[kept], stops[kept]
        if not len(starts):
            return self._none()
        # Formulas see every pair of neighbours, and what they make of an end and the next reset is left out: picking
        # the pairs first would copy all columns twice.
        values = self._values(rows[:-1], rows[1:])
        return self._valued(values, len(rows) - 1, after - 1, starts, stops, rows[after, REWARD])

    def valued(self, values: Values, starts: Indices, stops: Indices, paid: Batch) -> EpisodeValues:
        """values: of steps, episode after episode; episode i is steps[starts[i]:stops[i]], none of them empty."""
        return self._valued(values, len(paid), slice(None), starts, stops, paid)

    def _valued(
        self, values: Values, count: int, steps: Indices | slice, starts: Indices, stops: Indices, paid: Batch
    ) -> EpisodeValues:
        """values: of `count` pairs of moments, of which `steps` are the steps."""
        components = self._components(values, count)[steps]
        by_formula = reward(self._program, dict(zip(self._program.components, components.T, strict=True)))
        weights = np.array([component.weight for component in self._program.design.reward])
        return EpisodeValues(
            paid=np.add.reduceat(paid, starts),
            rewards=np.add.reduceat(by_formula, starts),
            lengths=(stops - starts).astype(np.float64),
            metrics=self._metrics(values, count, steps, starts, stops),
            components=np.add.reduceat(components * weights, starts, axis=0),
            gap=float(np.max(np.abs(paid - by_formula) / np.maximum(1.0, np.abs(by_formula)))),
        )

    def _values(self, before: Batch, after: Batch) -> Values:
        """What transition formulas see; row i is the step from before[i] to after[i]."""
        layout = self._layout
        return transitions(
            self._program,
            layout.params(after),
            layout.state_columns(before),
            after[:, layout.action],
            layout.state_columns(after),
            observed(self._program, layout, before),
        )

    def _components(self, values: Values, steps: int) -> Batch:
        """(steps, components), not weighted."""
        columns = [np.broadcast_to(compiled(values), (steps,)) for compiled in self._program.components.values()]
        return np.stack(columns, axis=1)

    def _metrics(self, values: Values, count: int, steps: Indices | slice, starts: Indices, stops: Indices) -> Batch:
        """Each formula once over all the steps, then the kit's own aggregation episode by episode."""
        result = np.empty((len(starts), len(self._program.metrics)))
        bounds = list(zip(starts.tolist(), stops.tolist(), strict=True))
        for position, metric in enumerate(self._program.metrics.values()):
            each = np.broadcast_to(metric.formula(values), (count,))[steps]
            if metric.aggregate in (Aggregate.LAST, Aggregate.FINAL):
                result[:, position] = each[stops - 1]
                continue
            per = each if metric.per is None else np.broadcast_to(metric.per(values), (count,))[steps]
            column = CompiledMetric(metric.name, metric.aggregate, _STEPS, _PER)
            result[:, position] = [
                aggregate(column, {"steps": each[start:stop], "per": per[start:stop]}, stop - start)
                for start, stop in bounds
            ]
        return result

    def _none(self) -> EpisodeValues:
        metrics, components = len(self._program.metrics), len(self._program.components)
        none = np.empty(0)
        return EpisodeValues(none, none, none, np.empty((0, metrics)), np.empty((0, components)), 0.0)


def mean_or_none(column: Batch) -> float | None:
    """The mean over the episodes that have a value."""
    good = column[np.isfinite(column)]
    return float(good.mean()) if len(good) else None
