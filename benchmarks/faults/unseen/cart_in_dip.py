import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A weak cart must rock its way out of a dip; every step costs one until it is out."""

    low, rim, top_speed = -1.2, 0.5, 0.07
    max_steps = 400

    def __init__(self):
        self.observation_space = spaces.Box(
            np.array([self.low, -self.top_speed], np.float32), np.array([0.6, self.top_speed], np.float32)
        )
        self.action_space = spaces.Discrete(3)
        self.place = self.speed = 0.0
        self.t = 0

    def _obs(self):
        space = self.observation_space
        return np.clip(np.array([self.place, self.speed], np.float32), space.low, space.high)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-0.6, -0.4))
        self.speed = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.speed += 0.0015 * (int(action) - 1) - 0.0025 * math.cos(3 * self.place)
        self.speed = min(max(self.speed, -self.top_speed), self.top_speed)
        self.place = min(max(self.place + self.speed, self.low), 0.6)
        if self.place == self.low:
            self.speed = max(self.speed, 0.0)
        self.t += 1
        out = self.place >= self.rim
        return self._obs(), -1.0, out, self.t >= self.max_steps and not out, {}
