import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Sweep in front of a curling stone so that it stops in the house."""

    sheet = 38.0
    house = 1.8
    max_steps = 80

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.x = 0.0
        self.v = 0.0
        self.grip = 0.02
        self.t = 0

    def _obs(self):
        return np.clip(np.array([self.x / self.sheet, self.v / 4.0, self.grip / 0.04], np.float32), 0.0, 1.0)

    def reset(self, *, seed=None, options=None):
        if seed:
            super().reset(seed=seed)
        self.x = 0.0
        self.v = float(self.np_random.uniform(2.2, 2.9))
        self.grip = float(self.np_random.uniform(0.012, 0.024))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        sweep = int(action)
        friction = 9.81 * self.grip * (1.0 - 0.3 * sweep)
        dt = 0.5
        self.v = max(self.v - friction * dt, 0.0)
        self.x = min(self.x + self.v * dt, self.sheet)
        self.t += 1
        target = 28.0
        out = self.x >= self.sheet
        still = self.v <= 0.0
        reward = -0.005 * sweep
        if still or out:
            miss = abs(self.x - target)
            reward += 3.0 - miss if miss < self.house else -0.1 * min(miss, 12.0)
        ended = still or out
        return self._obs(), reward, ended, self.t >= self.max_steps and not ended, {}
