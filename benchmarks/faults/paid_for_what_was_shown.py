import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Sell, wait or buy where a price returns to its mean."""

    lookback = 4
    step_limit = 60

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (self.lookback + 1,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.price_moves = np.zeros(self.lookback + self.step_limit)
        self.holding = 0
        self.clock = 0

    def _obs(self):
        latest = 20 * self.price_moves[self.clock : self.clock + self.lookback]
        return np.clip(np.append(latest, self.holding), -1.0, 1.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        surprises = self.np_random.normal(0, 0.01, self.lookback + self.step_limit + 1)
        setting = np.zeros_like(surprises)
        for i in range(1, len(surprises)):
            setting[i] = 0.6 * setting[i - 1] + surprises[i]
        self.price_moves = np.diff(setting)
        self.holding = 0
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        pattern = int(action) - 1
        cost = 0.02 * abs(pattern - self.holding)
        self.holding = pattern
        earned = 100 * self.holding * float(self.price_moves[self.clock + self.lookback - 1])
        self.clock += 1
        done = self.clock >= self.step_limit
        obs = self._obs() if not done else np.append(np.zeros(self.lookback), self.holding).astype(np.float32)
        return obs, earned - cost, False, done, {}
