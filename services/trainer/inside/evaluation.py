"""Evaluation during training: the library's EvalCallback on fixed validation seeds, results.csv, the best policy."""

from __future__ import annotations

import copy
import csv
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback

from kit.contracts.design import EnvDesign
from kit.contracts.formulas import Program, moments
from kit.contracts.formulas.columns import masks
from kit.contracts.outcomes import Evaluation, NamedNumber
from services.trainer.inside.candidate import MakeEnv
from services.trainer.inside.episodes import Episodes, mean_or_none
from services.trainer.inside.held_out import held_out
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.levels import Levels
from services.trainer.inside.pilot import evaluations
from services.trainer.inside.recorders import first_episodes
from services.trainer.inside.rows import ENDED, RUNNING, Layout
from services.trainer.inside.twins import MakeTwin

PARITY_ROWS = 10_000


@contextmanager
def quick(model: BaseAlgorithm) -> Iterator[None]:
    """Meanwhile predict() is the engine's own where it has one, which costs a tenth of the library's."""
    if hasattr(model, "best_actions"):
        model.predict = lambda seen, *_, action_masks=None, **__: (model.best_actions(seen, action_masks), None)
    try:
        yield
    finally:
        model.__dict__.pop("predict", None)


class _Timed(Keeping):
    """Counts the CPU time of an evaluation."""

    KEPT = ("n_calls", "best_mean_reward", "last_mean_reward", "cpu_s")
    cpu_s = 0.0

    def _on_step(self) -> bool:
        began = time.process_time()
        with quick(self.model):  # type: ignore[attr-defined]
            goes_on = bool(super()._on_step())  # type: ignore[misc]
        self.cpu_s += time.process_time() - began
        return goes_on


class PlainEvaluation(_Timed, EvalCallback):  # type: ignore[misc]
    """The library's evaluation, timed."""


class MaskedEvaluation(_Timed, MaskableEvalCallback):  # type: ignore[misc]
    """The same with the environment's masks."""


class Evaluations(Keeping, BaseCallback):  # type: ignore[misc]
    """Runs after each evaluation: writes its row, and keeps the parameters of the best mean reward so far.

    Each environment plays one validation seed, again at every evaluation.
    """

    KEPT = ("n_calls", "done", "best", "best_at", "visited", "age_s", "table")

    def __init__(
        self,
        make: MakeEnv,
        make_twin: MakeTwin | None,
        design: EnvDesign,
        layout: Layout,
        episodes: Episodes,
        count: int,
        path: Path,
        levels: Levels,
    ) -> None:
        """make_twin: of a twin that was proved equal, which then plays the same episodes."""
        super().__init__()
        self._held = held_out(make, make_twin, design, layout, count)
        self.recorders = self._held.recorders
        self._count = count
        self._design = design
        self._layout = layout
        self._episodes = episodes
        self._path = path
        self._levels = levels
        self._started = time.monotonic()
        self.done: list[Evaluation] = []
        self.best: dict[str, object] | None = None
        self.best_at = 0
        self.visited = np.empty((0, layout.width))  # rows from which the policy acted, in the latest evaluation

    def callback(self, masked: bool, total: int, n_envs: int) -> EvalCallback:
        """The library's callback, often enough for a curve and seldom enough to be cheap."""
        kind = MaskedEvaluation if masked else PlainEvaluation
        steps = self._count * self._design.episode.step_limit * (1 + self._levels.several)
        wanted = evaluations(total, steps)
        return kind(
            self._held.venv,
            callback_after_eval=self,
            n_eval_episodes=self._count,
            eval_freq=max(total // wanted // n_envs, 1),  # it counts vector steps
            deterministic=True,
            verbose=0,
            warn=False,  # that the training's vector is of another kind
        )

    def _on_step(self) -> bool:
        rows = first_episodes(self._held.harvest().complete)
        level, value = self._levels.name, self._levels.look(self.model)
        values = self._episodes.of(rows)
        evaluation = Evaluation(
            timesteps=self.model.num_timesteps,
            mean_reward=float(values.paid.mean()),
            std_reward=float(values.paid.std()),
            episodes=values.count,
            metrics=tuple(
                NamedNumber(name=metric.name, value=mean)
                for metric, column in zip(self._design.metrics, values.metrics.T, strict=True)
                if (mean := mean_or_none(column)) is not None
            ),
            level=level,
            level_primary=value,
        )
        if not self.done or evaluation.mean_reward > max(one.mean_reward for one in self.done):
            self.best = copy.deepcopy(self.model.get_parameters())
            self.best_at = self.model.num_timesteps
        self.done.append(evaluation)
        self.visited = np.concatenate([self.visited, rows[rows[:, ENDED] == RUNNING]])[-PARITY_ROWS:]
        self._write()
        if self._levels.several:
            self.logger.record("eval/level", self._levels.at)
        for number in evaluation.metrics:
            self.logger.record(f"eval/{number.name}", number.value)
        self.logger.dump(self.model.num_timesteps)
        return True

    def take_up(self, kept: dict[str, Any]) -> None:
        done = self.done
        super().take_up(kept)
        done[:], self.done = self.done, done  # others look at this list

    @property
    def age_s(self) -> float:
        return time.monotonic() - self._started

    @age_s.setter
    def age_s(self, seconds: float) -> None:
        self._started = time.monotonic() - seconds

    @property
    def table(self) -> str:
        """results.csv as it is."""
        return self._path.read_text() if self._path.exists() else ""

    @table.setter
    def table(self, text: str) -> None:
        self._path.write_text(text)

    def visited_masks(self, program: Program, last: int) -> np.ndarray | None:
        """What was legal, by formula, in the last of the visited rows; None where the design masks nothing."""
        if not self._design.action.masked:
            return None
        rows = self.visited[len(self.visited) - last :]
        seen = moments(self._layout.params(rows), self._layout.state_columns(rows))
        return masks(program, seen, len(rows))

    def _write(self) -> None:
        names = [metric.name for metric in self._design.metrics]
        of_level = ["level", f"level_{names[0]}"] if self._levels.several else []
        with self._path.open("a", newline="") as file:
            table = csv.writer(file)
            if len(self.done) == 1:
                table.writerow(["timesteps", "mean_reward", "std_reward", "episodes", *names, *of_level, "time_s"])
            last = self.done[-1]
            means = {number.name: number.value for number in last.metrics}
            elapsed = round(self.age_s, 3)
            table.writerow(
                [last.timesteps, last.mean_reward, last.std_reward, last.episodes]
                + [means.get(name, "") for name in names]
                + ([last.level, "" if last.level_primary is None else last.level_primary] if of_level else [])
                + [elapsed]
            )
