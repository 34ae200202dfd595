"""Water a field of plots: a matrix is seen, several choices are made at once, and drought ends it early."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Plots:
    """The ground itself, apart from what an agent sees of it."""

    def __init__(self, rng, rows, columns):
        self.rng = rng
        self.moisture = rng.uniform(0.4, 0.8, (rows, columns))

    def dry(self):
        self.moisture -= self.rng.gamma(2.0, 0.03, self.moisture.shape)

    def water(self, row, amount):
        self.moisture[row] += 0.2 * amount

    def settle(self):
        np.clip(self.moisture, 0.0, 1.0, out=self.moisture)


class FieldEnv(gym.Env):
    """Which row gets water, how much of it, and whether the shade is drawn."""

    def __init__(self, rows=4, columns=5, max_days=80):
        self.rows, self.columns, self.max_days = rows, columns, max_days
        self.observation_space = spaces.Box(0.0, 1.0, (rows, columns), np.float32)
        self.action_space = spaces.MultiDiscrete([rows, 4, 2])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.plots = Plots(self.np_random, self.rows, self.columns)
        self.day = 0
        return self.plots.moisture.astype(np.float32), {}

    def step(self, action):
        row, amount, shade = (int(part) for part in action)
        if not shade or self.np_random.random() < 0.5:
            self.plots.dry()
        self.plots.water(row, amount)
        self.plots.settle()
        self.day += 1
        moisture = self.plots.moisture
        withered = bool((moisture <= 0.0).mean() > 0.5)
        reward = float(np.minimum(moisture, 0.6).mean() - 0.05 * amount - 0.1 * shade)
        return (
            moisture.astype(np.float32),
            -5.0 if withered else reward,
            withered,
            not withered and self.day >= self.max_days,
            {},
        )
