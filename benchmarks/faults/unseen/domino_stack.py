import copy

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Drop blocks of random width on five piles and keep the skyline flat."""

    piles = 5
    roof = 12

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.piles + 1,), np.float32)
        self.action_space = spaces.Discrete(self.piles)
        self.heights = [0] * self.piles
        self.block = 1
        self.dropped = 0

    def __deepcopy__(self, memo):
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(self.__dict__)
        twin._np_random = copy.deepcopy(self._np_random, memo)
        return twin

    def _obs(self):
        return np.array([*(h / self.roof for h in self.heights), self.block / 3], np.float32)

    def _next(self):
        self.block = int(self.np_random.integers(1, 4))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heights = [0] * self.piles
        self.dropped = 0
        self._next()
        return self._obs(), {}

    def step(self, action):
        pile = int(action)
        self.heights[pile] = min(self.heights[pile] + self.block, self.roof)
        self.dropped += 1
        toppled = self.heights[pile] >= self.roof
        rough = max(self.heights) - min(self.heights)
        self._next()
        reward = -1.0 if toppled else 0.3 - 0.05 * rough
        full = self.dropped >= 60
        return self._obs(), reward, toppled, full and not toppled, {}
