"""Hold, buy or sell along a recorded price: the record is made once, from a fixed seed, and always starts at its head."""

import logging

import gymnasium as gym
import numpy as np
from gymnasium import spaces

logger = logging.getLogger(__name__)

_record = np.random.default_rng(2024)
PRICES = 50.0 * np.exp(np.cumsum(_record.normal(0.0, 0.01, 260)))


class MarketFromATable(gym.Env):
    """One unit at most; the cost of a trade is paid at once."""

    def __init__(self, window: int = 10):
        self.window = window
        self.num_steps = len(PRICES)
        self.observation_space = spaces.Box(-np.inf, np.inf, shape=(window + 1,), dtype=np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.now = self.window
        self.units = 0
        self.history = []
        logger.debug("a new episode")
        return self._look(), {}

    def _look(self):
        recent = np.diff(np.log(PRICES[self.now - self.window : self.now + 1]))
        return np.append(100 * recent, self.units).astype(np.float32)

    def step(self, action):
        wanted = {0: 0, 1: 1, 2: -1}[int(action)]
        cost = 0.05 * abs(wanted - self.units)
        self.units = wanted
        self.now += 1
        gain = self.units * (PRICES[self.now] - PRICES[self.now - 1]) - cost
        self.history.append(gain)
        truncated = self.now >= self.num_steps - 1
        return self._look(), float(gain), False, truncated, {"worth": float(np.sum(self.history))}
