import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Run a reservoir for a hundred weeks; once in a very long while a storm arrives."""

    weeks = 100
    storm_chance = 1 / 500

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(5)
        self.level = 0.5
        self.inflow = 0.0
        self.week = 0

    def _obs(self):
        return np.array([self.level, min(self.inflow, 1.0), self.week / self.weeks], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = float(self.np_random.uniform(0.3, 0.7))
        self.inflow = 0.05
        self.week = 0
        return self._obs(), {}

    def step(self, action):
        release = min(0.04 * int(action), self.level)
        storm = bool(self.np_random.random() < self.storm_chance)
        self.inflow = float(self.np_random.gamma(2.0, 0.04)) + (0.6 if storm else 0.0)
        raw = self.level - release + self.inflow
        flood = max(raw - 1.0, 0.0)
        self.level = min(max(raw, 0.0), 1.0)
        self.week += 1
        reward = 2.0 * release * (0.5 + 0.5 * self.level) - 10.0 * flood
        return self._obs(), float(reward), False, self.week >= self.weeks, {"storm": storm}
