"""Charge a fleet: parameters in arrays, prices of a process with a memory, one current for each van."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class FleetOfVans(gym.Env):
    def __init__(self, capacities=(40.0, 60.0, 50.0), limit=7.0, hours=24):
        self.capacities = np.asarray(capacities, dtype=np.float64)
        self.limit = limit
        self.hours = hours
        n = len(self.capacities)
        low = np.concatenate([np.zeros(n), [-3.0, 0.0]]).astype(np.float32)
        high = np.concatenate([np.ones(n), [3.0, 1.0]]).astype(np.float32)
        self.observation_space = spaces.Box(low, high)
        self.action_space = spaces.Box(-1.0, 1.0, (n,), np.float32)

    def _obs(self):
        price = np.clip(self.price, -3.0, 3.0)
        return np.concatenate([self.charge / self.capacities, [price, self.hour / self.hours]]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.charge = self.np_random.uniform(0.2, 0.6, len(self.capacities)) * self.capacities
        self.price = 0.0
        self.hour = 0
        return self._obs(), {"price": self.price}

    def step(self, action):
        power = self.limit * np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        after = np.clip(self.charge + power, 0.0, self.capacities)
        bought = after - self.charge
        self.charge = after
        cost = float(bought.sum() * (1.5 + 0.4 * self.price)) / 10.0
        self.price = 0.8 * self.price + 0.6 * float(self.np_random.standard_normal())
        self.hour += 1
        over = self.hour == self.hours
        missing = float((self.capacities - self.charge).sum()) if over else 0.0
        return self._obs(), -cost - 0.3 * missing, False, over, {"price": self.price}
