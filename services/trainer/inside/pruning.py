"""Pruning: a trial that falls behind the others' median ends early; what it says of itself is good enough for that."""

from __future__ import annotations

from collections.abc import Sequence

from stable_baselines3.common.callbacks import BaseCallback

from kit.contracts.design import Metric
from kit.contracts.outcomes import Evaluation
from services.trainer.inside.contests import sign_of
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.payloads import Bar


class Pruning(Keeping, BaseCallback):  # type: ignore[misc]
    """Looks after each evaluation whether the primary metric has ever reached the latest bar passed."""

    KEPT = ("_seen",)

    def __init__(self, bars: Sequence[Bar], metric: Metric, done: Sequence[Evaluation]) -> None:
        super().__init__()
        self._bars = bars
        self._metric = metric
        self._done = done
        self._seen = 0
        self.pruned = False

    def _on_step(self) -> bool:
        if len(self._done) > self._seen:
            self._seen = len(self._done)
            self.pruned = falls_short(self._bars, self._metric, self._done)
        return not self.pruned


def falls_short(bars: Sequence[Bar], metric: Metric, done: Sequence[Evaluation]) -> bool:
    passed = [bar for bar in bars if bar.timesteps <= done[-1].timesteps]
    if not passed:
        return False
    sign = sign_of(metric)
    best = max(
        (sign * one.value for evaluation in done for one in evaluation.metrics if one.name == metric.name),
        default=float("-inf"),
    )
    return best < sign * passed[-1].primary
