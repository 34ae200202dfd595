"""Run a dam for thirty years of weeks: long episodes, a log kept within each, and a flood that ends it."""

import collections

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class DamForYears(gym.Env):
    metadata = {"render_modes": []}
    MAX_WEEKS = 30 * 52

    def __init__(self, capacity: float = 100.0, **kwargs):
        super().__init__(**kwargs)
        self.capacity = capacity
        self.observation_space = spaces.Box(low=np.float32(0), high=np.float32(1), shape=(4,), dtype=np.float32)
        self.action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.capacity * float(self.np_random.beta(5, 5))
        self.week = 0
        self.inflows = collections.deque([0.0] * 2, maxlen=2)
        self.log = []
        return self._state(), {"level": self.level}

    def _state(self):
        season = 0.5 + 0.5 * np.cos(2 * np.pi * self.week / 52)
        inflows = [min(flow / 40.0, 1.0) for flow in self.inflows]
        return np.array([self.level / self.capacity, season, *inflows], dtype=np.float32)

    def step(self, action):
        mean = 6.0 + 5.0 * np.cos(2 * np.pi * self.week / 52)
        inflow = float(self.np_random.exponential(mean))
        release = min(4.0 * float(action), self.level)
        self.level += inflow - release
        flooded = self.level > 1.5 * self.capacity
        spilled = max(self.level - self.capacity, 0.0)
        self.level = min(self.level, self.capacity)
        self.inflows.append(inflow)
        self.log.append((self.week, inflow, release))
        self.week += 1
        reward = 0.1 * min(release, 8.0) - 0.05 * spilled - (10.0 if flooded else 0.0)
        return self._state(), reward, flooded, self.week >= self.MAX_WEEKS and not flooded, {"level": self.level}
