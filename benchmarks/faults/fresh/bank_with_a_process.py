"""Lend and save: rates with a noise process of their own, rewards that are mostly negative, ruin at the end."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Noise:
    """Ornstein-Uhlenbeck, started anew with every episode."""

    def __init__(self, pull=0.2, spread=0.3):
        self.pull, self.spread = pull, spread
        self.value = 0.0

    def restart(self, rng):
        self.value = float(rng.normal(0.0, self.spread))

    def move(self, rng):
        self.value += -self.pull * self.value + self.spread * float(rng.normal())
        return self.value


class BankWithAProcess(gym.Env):
    LIMIT = 120

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (3,), np.float32)
        self.action_space = spaces.Discrete(5)
        self.noise = Noise()

    def _obs(self):
        return np.clip([self.fortune, self.noise.value, self.demand], -5.0, 5.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.noise.restart(self.np_random)
        self.fortune = 1.0
        self.demand = float(self.np_random.uniform(0.0, 1.0))
        self.week = 0
        return self._obs(), {}

    def step(self, action):
        lent = int(action) / 4.0
        rate = 0.02 + 0.1 * self.noise.move(self.np_random)
        drawn = 0.2 * self.demand
        self.fortune += lent * rate - (0.3 * max(0.0, lent + drawn - self.fortune))
        self.fortune -= 0.02
        self.demand = float(np.clip(self.demand + self.np_random.normal(0.0, 0.2), 0.0, 1.0))
        self.week += 1
        ruined = self.fortune <= 0.0
        reward = np.log(max(self.fortune, 0.01)) - (3.0 if ruined else 0.0)
        return self._obs(), float(reward), ruined, self.week >= self.LIMIT, {"fortune": self.fortune}
