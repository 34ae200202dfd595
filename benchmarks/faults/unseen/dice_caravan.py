import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Dice:
    """The dice cup from which every throw of the game comes."""

    cup = None

    @classmethod
    def fill(cls, generator):
        cls.cup = generator

    @classmethod
    def throw(cls, count):
        return int(cls.cup.integers(1, 7, count).sum())


class Env(gym.Env):
    """Lead a caravan over thirty stages: press on with more dice or save the water."""

    length = 100
    max_steps = 60

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([self.length + 1, 31])
        self.action_space = spaces.Discrete(3)
        self.at = 0
        self.water = 30
        self.t = 0

    def _obs(self):
        return np.array([self.at, self.water], dtype=np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        Dice.fill(self.np_random)
        self.at = 0
        self.water = 20 + Dice.throw(1)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        dice = int(action)
        if dice == 0:
            self.water = min(self.water + 2, 30)
        else:
            self.at = min(self.at + Dice.throw(dice), self.length)
            self.water = max(self.water - (1, 3)[dice - 1], 0)
        self.t += 1
        home = self.at >= self.length
        dry = self.water == 0 and not home
        reward = 5.0 if home else (-3.0 if dry else -0.05)
        ended = home or dry
        return self._obs(), reward, ended, self.t >= self.max_steps and not ended, {}
