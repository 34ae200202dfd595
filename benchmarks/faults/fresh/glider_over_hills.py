"""Glide home: a long way, only costs, doubles without bounds, over on the ground."""

import gymnasium as gym
import numpy as np


class GliderOverHills(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, max_steps=1500, dt=0.1):
        self.max_steps = max_steps
        self.dt = dt
        self.observation_space = gym.spaces.Box(low=-np.inf, high=np.inf, shape=(4,), dtype=np.float64)
        self.action_space = gym.spaces.Box(low=-1.0, high=1.0, shape=(1,), dtype=np.float32)

    def _ground(self, x):
        return 0.2 * np.sin(3.0 * x)

    def _get_obs(self):
        return np.array([self.x, self.height - self._ground(self.x), self.vx, self.vy], dtype=np.float64)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x = float(self.np_random.uniform(-5.0, -4.0))
        self.height = float(self.np_random.uniform(2.0, 3.0))
        self.vx, self.vy = 0.5, 0.0
        self.steps = 0
        return self._get_obs(), {}

    def step(self, action):
        pitch = float(np.clip(action[0], -1.0, 1.0))
        gust = 0.05 * self.np_random.normal()
        lift = 0.12 * self.vx**2 * (1.0 + pitch)
        self.vx += self.dt * (0.1 - 0.2 * self.vx * abs(self.vx) - 0.1 * pitch)
        self.vy += self.dt * (lift - 0.06 - 0.5 * self.vy + gust)
        self.x += self.dt * self.vx
        self.height += self.dt * self.vy
        self.steps += 1
        landed = bool(self.height <= self._ground(self.x))
        away = float(np.sqrt(self.x**2 + 0.01))
        reward = -0.01 * away - 0.005 * pitch**2
        if landed:
            self.height = self._ground(self.x)
            reward -= 10.0 * away
        return self._get_obs(), float(reward), landed, self.steps >= self.max_steps, {}
