import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """A forklift crosses a warehouse of six by six bays to the one that is wanted."""

    bays = 6
    step_limit = 60
    ways = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.bay = (0, 0)
        self.wanted_bay = (5, 5)
        self.clock = 0

    def _obs(self):
        return np.array([*self.bay, *self.wanted_bay], np.float64) / (self.bays - 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        drawn = self.np_random.choice(self.bays**2, 2, replace=False)
        self.bay = divmod(int(drawn[0]), self.bays)
        self.wanted_bay = divmod(int(drawn[1]), self.bays)
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        down, across = self.ways[int(action)]
        aisle = min(max(self.bay[0] + down, 0), self.bays - 1)
        rack = min(max(self.bay[1] + across, 0), self.bays - 1)
        self.bay = (aisle, rack)
        self.clock += 1
        there = self.bay == self.wanted_bay
        reward = 1.0 if there else -0.02
        out_of_time = self.clock >= self.step_limit and not there
        return self._obs(), reward, there, out_of_time, {}
