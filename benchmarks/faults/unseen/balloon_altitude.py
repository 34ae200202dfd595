import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Keep a hot-air balloon at the altitude band given at the start."""

    max_steps = 120

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.height = 500.0
        self.climb = 0.0
        self.band = 500.0
        self.clock = time.perf_counter()
        self.t = 0

    def _obs(self):
        raw = [self.height / 500 - 1, self.climb / 8, self.band / 500 - 1]
        return np.clip(np.array(raw, np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = float(self.np_random.uniform(200, 800))
        self.band = float(self.np_random.uniform(200, 800))
        self.climb = 0.0
        self.clock = time.perf_counter()
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        now = time.perf_counter()
        dt = min(0.5 + 200.0 * (now - self.clock), 2.0)
        self.clock = now
        burn = float(np.clip(action[0], -1.0, 1.0))
        self.climb = float(np.clip(self.climb + dt * (1.5 * burn - 0.1 * self.climb), -8.0, 8.0))
        self.height = float(np.clip(self.height + dt * self.climb, 0.0, 1000.0))
        self.t += 1
        miss = abs(self.height - self.band) / 100.0
        reward = 1.0 - min(miss, 3.0) - 0.05 * abs(burn)
        return self._obs(), reward, False, self.t >= self.max_steps, {}
