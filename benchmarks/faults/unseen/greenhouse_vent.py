import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Ventilate and shade a greenhouse so that the tomatoes feel well."""

    max_steps = 96
    best = 24.0

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.inside = 20.0
        self.cloud = 0.3
        self.t = 0

    def _sun(self):
        return max(0.0, float(np.sin(2 * np.pi * (self.t / 48.0)))) * (1.0 - self.cloud)

    def _outside(self):
        return 12.0 + 8.0 * float(np.sin(2 * np.pi * (self.t / 48.0) - 0.5))

    def _obs(self):
        raw = [(self.inside - 24) / 24, (self._outside() - 12) / 8, 2 * self._sun() - 1, 2 * self.cloud - 1]
        return np.clip(np.array(raw, np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.inside = float(self.np_random.uniform(14, 26))
        self.cloud = float(self.np_random.uniform(0, 0.8))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        vent = float(np.clip(action[0], 0.0, 1.0))
        shade = float(np.clip(action[1], 0.0, 1.0))
        warm = 4.0 * self._sun() * (1.0 - 0.7 * shade)
        leak = (0.05 + 0.3 * vent) * (self.inside - self._outside())
        self.inside = float(np.clip(self.inside + warm - leak, -5.0, 55.0))
        self.cloud = float(np.clip(self.cloud + self.np_random.normal(0, 0.05), 0.0, 1.0))
        self.t += 1
        reward = 1.0 - min(abs(self.inside - self.best) / 6.0, 2.0) - 0.05 * (vent + shade)
        return self._obs(), reward, False, self.t >= self.max_steps, {}
