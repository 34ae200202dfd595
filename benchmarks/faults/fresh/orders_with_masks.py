"""Serve orders of different sizes from a shelf; which may be served is masked, and an illegal choice is a wait."""

from __future__ import annotations

import dataclasses

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete


@dataclasses.dataclass
class Shelf:
    left: int = 30
    waiting: list[int] = dataclasses.field(default_factory=list)
    clock: int = 0
    served: int = 0


class OrdersWithMasks(gym.Env[npt.NDArray[np.float32], int]):
    """Choose which of four waiting orders to serve, or wait."""

    PLACES = 4
    HORIZON = 50

    def __init__(self) -> None:
        self.observation_space = Box(0.0, 1.0, (self.PLACES + 2,), np.float32)
        self.action_space = Discrete(self.PLACES + 1)
        self.shelf = Shelf()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        legal = [size <= self.shelf.left for size in self.shelf.waiting]
        return np.array([*legal, True], dtype=bool)

    def _arrive(self) -> int:
        return int(self.np_random.choice([1, 2, 3, 5], p=[0.4, 0.3, 0.2, 0.1]))

    def _observe(self) -> npt.NDArray[np.float32]:
        orders = [size / 5 for size in self.shelf.waiting]
        return np.array([*orders, self.shelf.left / 30, self.shelf.clock / self.HORIZON], dtype=np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        super().reset(seed=seed, options=options)
        self.shelf = Shelf(waiting=[self._arrive() for _ in range(self.PLACES)])
        return self._observe(), {"action_mask": self.action_masks()}

    def step(self, action: int):
        shelf, masks = self.shelf, self.action_masks()
        reward = 0.0
        if action < self.PLACES and masks[action]:
            size = shelf.waiting[action]
            shelf.left -= size
            shelf.served += 1
            shelf.waiting[action] = self._arrive()
            reward = 1.0 + 0.1 * size
        elif action < self.PLACES:
            reward = -0.1
        shelf.clock += 1
        terminated = shelf.left == 0
        truncated = not terminated and shelf.clock >= self.HORIZON
        info = {"action_mask": self.action_masks(), "served": shelf.served}
        return self._observe(), reward, terminated, truncated, info
