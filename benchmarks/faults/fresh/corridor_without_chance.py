"""A corridor where nothing is left to chance: one start, one way, a prize at its end."""

from typing import ClassVar

import gymnasium as gym
from gymnasium import spaces


class CorridorWithoutChance(gym.Env[int, int]):
    observation_space = spaces.Discrete(9)
    action_space = spaces.Discrete(2)
    metadata: ClassVar[dict] = {"render_modes": []}
    limit = 50

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.passed = 0, 0
        return self.place, {}

    def step(self, action):
        self.passed += 1
        if action == 1:
            self.place = min(self.place + 1, 8)
        else:
            self.place = max(self.place - 2, 0)
        there = self.place == 8
        return self.place, (1.0 if there else 0.0), there, self.passed >= self.limit, {}
