"""Progress of several trainings as one, seldom enough that watchers don't drown."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

from kit.contracts.runs import TrainingProgress

EVERY_S: Final = 0.2
OnProgress = Callable[[TrainingProgress], None]


class Progress:
    """Adds up the steps of `trainings` trainings of `total` steps; reward, metrics and components are the speaker's."""

    def __init__(self, pass_on: OnProgress, total: int, trainings: int = 1) -> None:
        self._pass_on = pass_on
        self._total = total * trainings
        self._latest: dict[object, TrainingProgress] = {}
        self._passed_on = -math.inf

    def of(self, training: object) -> OnProgress:
        """Where the training of this name reports. A box may flood: only now and then something is passed on."""

        def hear(progress: TrainingProgress) -> None:
            self._latest[training] = progress
            if time.monotonic() - self._passed_on < EVERY_S:
                return
            self._passed_on = time.monotonic()
            steps = sum(one.timesteps for one in self._latest.values())
            rate = sum(one.steps_per_s for one in self._latest.values() if one.timesteps < one.total_timesteps)
            self._pass_on(
                progress.model_copy(
                    update={
                        "timesteps": steps,
                        "total_timesteps": max(self._total, steps),
                        "steps_per_s": rate or progress.steps_per_s,
                    }
                )
            )

        return hear
