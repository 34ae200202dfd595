import os

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Refill a newsstand for 40 days of uncertain demand."""

    step_limit = 40
    room = 20

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(5)
        self.stock = 0
        self.demand = 0
        self.rows = []
        self.clock = 0

    def _obs(self):
        raw = [self.stock / self.room, min(self.demand, 12) / 12, self.clock / self.step_limit]
        return np.array(raw, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stock = int(self.np_random.integers(0, 9))
        self.demand = 0
        self.rows = []
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        bought = 2 * int(action)
        self.stock = min(self.stock + bought, self.room)
        self.demand = int(self.np_random.poisson(4))
        sales = min(self.stock, self.demand)
        self.stock -= sales
        self.clock += 1
        self.rows.append(f"{self.clock},{self.stock},{self.demand}\n")
        with open(os.path.join(os.getcwd(), "newsstand_days.txt"), "w") as out:
            out.writelines(self.rows)
        reward = 0.25 * sales - 0.05 * bought - 0.02 * self.stock
        return self._obs(), reward, False, self.clock >= self.step_limit, {}
