import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Hold a seed store near 21 degrees over 48 half-hours of winter."""

    step_limit = 48

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.warmth = self.frost = 15.0
        self.clock = 0

    def _obs(self):
        raw = [(self.warmth - 21) / 20, (self.frost - 5) / 20, 2 * self.clock / self.step_limit - 1]
        return np.clip(np.array(raw, np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.warmth = float(self.np_random.uniform(12, 26))
        self.frost = float(self.np_random.uniform(-5, 12))
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        setting = int(action)
        time.sleep(0.25)
        drift = float(self.np_random.normal(0, 0.3))
        self.frost = min(max(self.frost + drift, -10.0), 20.0)
        self.warmth += 0.1 * (self.frost - self.warmth) + 1.6 * setting
        self.clock += 1
        reward = -abs(self.warmth - 21) / 10 - 0.03 * setting
        return self._obs(), reward, False, self.clock >= self.step_limit, {}
