"""Harvest: now and then takes the recorders' rows into the file, the curve, TensorBoard and the progress line."""

from __future__ import annotations

import time
from collections.abc import Callable

from stable_baselines3.common.callbacks import BaseCallback

from kit.contracts.design import EnvDesign
from kit.inside.saying import Say
from services.trainer.inside.episodes import Episodes, EpisodeValues, mean_or_none
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.payloads import CurvePoint
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.steps_file import StepsFile
from services.trainer.inside.twin_recorder import TwinRecorder

PROGRESS_EVERY_S = 0.5
LEAST_STEPS = 4096  # between two harvests, over all environments
MOST_HARVESTS = 500


class Harvest(Keeping, BaseCallback):  # type: ignore[misc]
    """Also ends the training at its deadline, so that what was learned can still be exported."""

    KEPT = ("n_calls", "curve", "gap", "cpu_s")

    def __init__(
        self,
        recorders: Recorders | TwinRecorder,
        episodes: Episodes,
        file: StepsFile,
        design: EnvDesign,
        total: int,
        deadline: float,
        say: Say,
        level: Callable[[], str] = str,
    ) -> None:
        """level: the name of that of the curriculum, empty where there is none."""
        super().__init__()
        self._recorders = recorders
        self._episodes = episodes
        self._file = file
        self._design = design
        self._total = total
        self._deadline = deadline
        self._say = say
        self._level = level
        self._every = max(LEAST_STEPS, total // MOST_HARVESTS) // len(recorders) or 1
        self._started = self._said = time.monotonic()
        self.curve: list[CurvePoint] = []
        self.gap = 0.0  # the largest between a paid reward and the design's
        self.cpu_s = 0.0
        self.overdue = False

    def _on_training_start(self) -> None:
        self._started = self._said = time.monotonic()

    def _on_step(self) -> bool:
        if self.n_calls % self._every == 0:
            self.take()
        now = time.monotonic()
        if now - self._said >= PROGRESS_EVERY_S:
            self._said = now
            self.progress()
        self.overdue = now >= self._deadline
        return not self.overdue

    def _on_rollout_end(self) -> None:
        self._recorders.check()  # before a network is trained on it

    def _on_training_end(self) -> None:
        self.take()
        self.progress()

    def take(self) -> None:
        """Harvest now."""
        began = time.process_time()
        taken = self._recorders.harvest()
        self._file.write(taken.environments, taken.fresh)
        complete = self._episodes.of(taken.complete)
        if complete.count:
            self.gap = max(self.gap, complete.gap)
            self.curve.append(_point(self.num_timesteps, complete))
            self._record(self.curve[-1])
        self.cpu_s += time.process_time() - began

    def progress(self) -> None:
        elapsed = max(time.monotonic() - self._started, 1e-9)
        latest = self.curve[-1] if self.curve else None
        self._say(
            "progress",
            timesteps=self.num_timesteps,
            total_timesteps=self._total,
            steps_per_s=round(self.num_timesteps / elapsed, 1),
            mean_reward=latest.reward if latest else None,
            metrics=self._named(latest.metrics if latest else (), self._design.metrics),
            components=self._named(latest.components if latest else (), self._design.reward),
            level=self._level(),
        )

    def _record(self, point: CurvePoint) -> None:
        for component, value in zip(self._design.reward, point.components, strict=True):
            self.logger.record(f"components/{component.name}", value)
        for metric, mean in zip(self._design.metrics, point.metrics, strict=True):
            if mean is not None:
                self.logger.record(f"metrics/{metric.name}", mean)

    @staticmethod
    def _named(values: tuple[float | None, ...], records: tuple) -> list[dict[str, object]]:  # type: ignore[type-arg]
        pairs = zip(records, values, strict=False)
        return [{"name": record.name, "value": value} for record, value in pairs if value is not None]


def _point(timesteps: int, episodes: EpisodeValues) -> CurvePoint:
    return CurvePoint(
        timesteps=timesteps,
        episodes=episodes.count,
        reward=float(episodes.paid.mean()),
        length=float(episodes.lengths.mean()),
        components=tuple(episodes.components.mean(axis=0).tolist()),
        metrics=tuple(mean_or_none(column) for column in episodes.metrics.T),
    )
