"""Half way: the parameters as they were when half of the training's steps were taken, for a rung of the ladder."""

from __future__ import annotations

import copy

from stable_baselines3.common.callbacks import BaseCallback


class HalfWay(BaseCallback):  # type: ignore[misc]
    """parameters: None until then, and where training ended before."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._half = total / 2
        self.parameters: dict[str, object] | None = None

    def _on_step(self) -> bool:
        if self.parameters is None and self.num_timesteps >= self._half:
            self.parameters = copy.deepcopy(self.model.get_parameters())
        return True
