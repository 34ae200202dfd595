"""Hold a temperature: float64 observations, numpy.float64 rewards, cut short at a limit, never over."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class HeaterInDouble(gym.Env):
    """Three rooms, three heaters, one wall between each pair."""

    def __init__(self, rooms=3, episode_length=96):
        self.rooms = rooms
        self.episode_length = episode_length
        self.action_space = spaces.Box(-1.0, 1.0, shape=(rooms,), dtype=np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, shape=(rooms + 2,), dtype=np.float64)

    def _outside(self):
        return 5.0 + 4.0 * np.sin(2 * np.pi * self.hour / 24)

    def _get_obs(self):
        return np.concatenate([(self.temperature - 20.0) / 5.0, [self._outside() / 10.0, (self.hour % 24) / 24.0]])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.temperature = 20.0 + self.np_random.standard_normal(self.rooms)
        self.hour = int(self.np_random.integers(24))
        self.start = self.hour
        return self._get_obs(), {"temperature": self.temperature.copy()}

    def step(self, action):
        power = (np.clip(action, -1.0, 1.0) + 1.0) / 2.0
        between = self.temperature.mean() - self.temperature
        drift = 0.05 * (self._outside() - self.temperature) + 0.1 * between + 1.6 * power
        self.temperature = self.temperature + drift + 0.05 * self.np_random.standard_normal(self.rooms)
        self.hour += 1
        comfort = -np.abs(self.temperature - 20.0).mean()
        reward = comfort - 0.1 * power.sum()
        truncated = self.hour - self.start >= self.episode_length
        return self._get_obs(), reward, False, truncated, {"temperature": self.temperature.copy()}
