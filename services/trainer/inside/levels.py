"""Curriculum: training begins at the first level; the primary metric on the validation seeds opens the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from services.trainer.inside.candidate import Maker
from services.trainer.inside.contests import sign_of
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.episodes import Episodes, mean_or_none
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.payloads import VALIDATION_SEED
from services.trainer.inside.randomising import Draws, arguments
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders, first_episodes
from services.trainer.inside.rows import Layout
from services.trainer.inside.twin_recorder import TwinRecorder

NOMINAL = "nominal"  # the level after all: the parameters' own values


@dataclass(frozen=True)
class Stage:
    """A level as training takes it. draws: what it sets; opens_next_at: None for the last."""

    name: str
    draws: Draws
    opens_next_at: float | None = None


def stages_of(design: EnvDesign) -> tuple[Stage, ...]:
    """The design's levels, and its parameters' own values behind the last that opens another; never empty."""
    own = {parameter.name: parameter for parameter in design.parameters}
    stages = tuple(
        Stage(
            level.name,
            {
                one.name: np.asarray(own[one.name].model_copy(update={"values": one.values}).argument)
                for one in level.overrides
            },
            level.opens_next_at,
        )
        for level in design.curriculum
    )
    if not stages:
        return (Stage("", {}),)
    return stages if stages[-1].opens_next_at is None else (*stages, Stage(NOMINAL, {}))


class Levels(Keeping):
    """Where in its curriculum a training is. Without one there is a single level, which has no name.

    The training's environments get a level's parameters from their next reset on. What chooses the policy, and all
    that is measured later, has the design's own.
    """

    KEPT = ("at", "since")

    def __init__(
        self,
        make: Maker,
        design: EnvDesign,
        layout: Layout,
        episodes: Episodes,
        count: int,
        trained: Recorders | TwinRecorder,
        watched: list[Any],
    ) -> None:
        """count: validation seeds that are played at each look. watched: gets every recorder as it is made."""
        self._make = make
        self._design = design
        self._layout = layout
        self._episodes = episodes
        self._seeds = range(VALIDATION_SEED, VALIDATION_SEED + count)
        self._trained = trained
        self._watched = watched
        self._stages = stages_of(design)
        self.at = 0
        self.since = 0  # timesteps when this level opened
        self._open()

    @property
    def several(self) -> bool:
        return len(self._stages) > 1

    @property
    def name(self) -> str:
        return self._stages[self.at].name

    def look(self, model: BaseAlgorithm) -> float | None:
        """The primary metric at this level, which opens the next where it is good enough; None at the last."""
        stage, metric = self._stages[self.at], self._design.metrics[0]
        if stage.opens_next_at is None:
            return None
        value = self._primary(model, self._recorders)
        if value is not None and sign_of(metric) * (value - stage.opens_next_at) >= 0:
            self.at, self.since = self.at + 1, model.num_timesteps
            self._open()
        return value

    def take_up(self, kept: dict[str, Any]) -> None:
        super().take_up(kept)
        self._open()

    def unfinished(self, timesteps: int) -> tuple[Finding, ...]:
        """Nothing where training got to the last level, and took steps there."""
        last = self._stages[-1]
        if not self.several or (self.at == len(self._stages) - 1 and self.since < timesteps):
            return ()
        metric, stage = self._design.metrics[0], self._stages[min(self.at, len(self._stages) - 2)]
        return (
            Finding(
                check="training.curriculum",
                severity=Severity.WARNING,
                blame=Blame.BUDGET,
                message=f"training ended at the level {stage.name}, before it took a step at the last, {last.name}",
                evidence=f"{timesteps:,} steps; {metric.name} of {stage.opens_next_at:g} opens the next level",
                remedy="Give it more steps, let the level open the next sooner, or do without the curriculum.",
            ),
        )

    def _open(self) -> None:
        stage = self._stages[self.at]
        if self.several and isinstance(self._trained, Recorders):
            self._trained.fix(stage.draws)
        self._recorders: list[Recorder] = []
        if stage.opens_next_at is not None:
            make = self._make.with_arguments(arguments(stage.draws))
            self._recorders = [Recorder(make(), self._design, self._layout, s, stage.draws) for s in self._seeds]
            self._watched += self._recorders

    def _primary(self, model: BaseAlgorithm, recorders: list[Recorder]) -> float | None:
        venv = LeanVector([lambda recorder=r: Monitor(recorder) for r in recorders])
        play = evaluate_masked if self._design.action.masked else evaluate_policy
        play(model, venv, n_eval_episodes=len(recorders), warn=False)
        values = self._episodes.of(first_episodes(Recorders(recorders).harvest().complete))
        return mean_or_none(values.metrics[:, 0])
