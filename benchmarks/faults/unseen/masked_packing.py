import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Put parcels into four vans; a van that is full is masked out, the last choice is to wait."""

    vans = 4
    room = 10
    parcels = 30

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.vans + 2,), np.float32)
        self.action_space = spaces.Discrete(self.vans + 1)
        self.load = np.zeros(self.vans, np.int64)
        self.size = 1
        self.seen = 0

    def action_masks(self):
        fits = self.load + self.size <= self.room
        return np.append(fits, True)

    def _obs(self):
        return np.array([*(self.load / self.room), self.size / 5, self.seen / self.parcels], np.float32)

    def _info(self):
        return {"action_mask": self.action_masks().astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.load = np.zeros(self.vans, np.int64)
        self.size = int(self.np_random.integers(1, 6))
        self.seen = 0
        return self._obs(), self._info()

    def step(self, action):
        van = int(action)
        reward = -0.1
        if van < self.vans and self.action_masks()[van]:
            self.load[van] += self.size
            reward = 0.2 * self.size
            if self.load[van] == self.room:
                self.load[van] = 0
                reward += 1.0
        self.size = int(self.np_random.integers(1, 6))
        self.seen += 1
        return self._obs(), reward, self.seen >= self.parcels, False, self._info()
