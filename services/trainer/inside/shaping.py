"""Potential-based shaping by our own formula, so that it can't change which policy is best."""

from __future__ import annotations

import numpy as np
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from kit.contracts.formulas import Program, moments
from kit.contracts.formulas.batches import Batch
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import ENDED, TERMINATED, Layout
from services.trainer.inside.twin_recorder import TwinRecorder


class Shaping(Keeping, VecEnvWrapper):  # type: ignore[misc]
    """Adds gamma x phi(s') - phi(s) to what the agent is paid; evaluation and logs keep the design's reward.

    phi is 0 where an episode terminated, and kept where it was cut off by the step limit.
    """

    KEPT = ("_phi",)

    def __init__(self, venv: VecEnv, recorders: Recorders | TwinRecorder, program: Program, layout: Layout) -> None:
        assert program.potential is not None
        super().__init__(venv)
        self._recorders = recorders
        self._potential = program.potential
        self._layout = layout
        self._gamma = program.design.training.discount
        self._phi: Batch = np.zeros(len(recorders))

    def reset(self) -> np.ndarray:
        observations: np.ndarray = self.venv.reset()
        self._phi = self._of(self._recorders.now)
        return observations

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, object]]]:
        observations, rewards, dones, infos = self.venv.step_wait()
        after = self._recorders.before_reset
        phi = self._of(after)
        reached = np.where(after[:, ENDED] == TERMINATED, 0.0, phi)
        rewards = (rewards + self._gamma * reached - self._phi).astype(np.float32)
        if dones.any():
            phi = self._of(self._recorders.now)
        self._phi = phi
        return observations, rewards, dones, infos

    def _of(self, rows: Batch) -> Batch:
        values = self._potential(moments(self._layout.params(rows), self._layout.state_columns(rows)))
        return np.broadcast_to(values, (len(rows),)).copy()
