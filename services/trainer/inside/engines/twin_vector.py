"""TwinVector: a batched twin as the library's vector of environments; many copies cost little more than a few."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.monitor import ResultsWriter
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.draws import Draws, OwnDraws
from services.trainer.inside.keeping import Keeping


class TwinVector(Keeping, VecEnv):  # type: ignore[misc]
    """Copies whose episodes end start anew at once. An info is empty but where an episode ended: there it holds
    what the library's Monitor and vectors of environments put into it."""

    KEPT = ("_returns", "_lengths")

    def __init__(
        self,
        twin: Any,
        copies: int,
        like: gymnasium.Env,
        results: ResultsWriter | None = None,
        seeds: Sequence[int] | None = None,
    ) -> None:
        """like: a scalar environment, for its spaces. results: gets a row an episode, as of the library's Monitor.

        seeds: of each copy's own stream, which begins anew at every reset of all, as in a scalar environment that is
        reset with this seed; None: one stream for all, which goes on.
        """
        self.twin = twin
        self._results = results
        self._own_seeds = seeds
        self._draws: Draws | OwnDraws = Draws(np.random.default_rng(0), copies)
        super().__init__(copies, like.observation_space, like.action_space)
        self._everyone = np.arange(copies)
        self._returns, self._lengths = np.zeros(copies), np.zeros(copies, np.int64)
        self._began = time.time()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """One stream for all copies."""
        self._draws = Draws(np.random.default_rng(seed), self.num_envs)
        return [seed] * self.num_envs

    def reset(self) -> Any:
        self._returns[:] = self._lengths[:] = 0
        if self._own_seeds is not None:
            self._draws = OwnDraws(self._own_seeds)
        self.twin.reset(self._everyone, self._draws)
        return self._seen()

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        rewards, terminated, truncated = self.twin.step(self._actions, self._draws)
        seen = self._seen()
        self._returns += rewards
        self._lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        if dones.any():
            ended = np.flatnonzero(dones)
            at = round(time.time() - self._began, 6)
            for row in ended:
                episode = {"r": round(float(self._returns[row]), 6), "l": int(self._lengths[row]), "t": at}
                infos[row] = {
                    "TimeLimit.truncated": bool(truncated[row] and not terminated[row]),
                    "terminal_observation": seen[row].copy(),
                    "episode": episode,
                }
                if self._results is not None:
                    self._results.write_row(episode)
            self._returns[ended] = self._lengths[ended] = 0
            self.twin.reset(ended, self._draws)
            seen = self._seen()
        return seen, rewards.astype(np.float32), dones, infos

    def kept(self) -> dict[str, Any]:
        """Of training's vector, whose copies have one stream."""
        assert isinstance(self._draws, Draws)
        chance = self._draws.generator.bit_generator.state
        return {**super().kept(), "chance": chance, "age_s": time.time() - self._began}

    def take_up(self, kept: dict[str, Any]) -> None:
        super().take_up(kept)
        assert isinstance(self._draws, Draws)
        self._draws.generator.bit_generator.state = kept["chance"]
        self._began = time.time() - kept["age_s"]

    def close(self) -> None:
        if self._results is not None:
            self._results.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode" or (attr_name == "action_masks" and hasattr(self.twin, attr_name)):
            return [None] * self.num_envs
        raise AttributeError(attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(attr_name)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        if method_name == "action_masks":
            return list(self.twin.action_masks())
        raise AttributeError(method_name)

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def _seen(self) -> Any:
        return np.asarray(self.twin.observe(), self.observation_space.dtype)
