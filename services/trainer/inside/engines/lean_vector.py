"""LeanVector: scalar environments in a row, without the deep copies that the library's DummyVecEnv makes every step."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv


class LeanVector(DummyVecEnv):  # type: ignore[misc]
    """For environments whose step() makes its info anew, as the recorder's does. Of dict observations the library takes
    care itself.
    """

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        if isinstance(self.observation_space, spaces.Dict):
            return super().step_wait()  # type: ignore[no-any-return]
        observations = np.empty((self.num_envs, *self.observation_space.shape), self.observation_space.dtype)
        rewards, dones = np.empty(self.num_envs, np.float32), np.zeros(self.num_envs, bool)
        infos: list[dict[str, Any]] = []
        for i, env in enumerate(self.envs):
            observation, rewards[i], terminated, truncated, info = env.step(self.actions[i])
            info["TimeLimit.truncated"] = truncated and not terminated
            if terminated or truncated:
                dones[i] = True
                info["terminal_observation"] = np.array(observation)
                observation, self.reset_infos[i] = env.reset()
            observations[i] = observation
            infos.append(info)
        if observations.dtype.kind == "f" and not (numbers := observations.reshape(-1)).dot(numbers) < np.inf:
            self._say_what_is_not_finite()
        return observations, rewards, dones, infos

    def _say_what_is_not_finite(self) -> None:
        """The recorders know; before a network acts on it."""
        for env in self.envs:
            if env.has_wrapper_attr("check"):
                env.get_wrapper_attr("check")()
