from functools import lru_cache

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Walk a dark hall by ear: a bell rings, walls muffle it, go where it is loud."""

    side = 7
    max_steps = 70

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (7,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.walls = np.zeros((self.side, self.side), bool)
        self.bell = (3, 3)
        self.me = (0, 0)
        self.t = 0

    @lru_cache(maxsize=None)
    def _loudness(self, r, c):
        if not (0 <= r < self.side and 0 <= c < self.side):
            return 0.0
        way = abs(r - self.bell[0]) + abs(c - self.bell[1])
        muffled = 0.5 if self.walls[r, c] else 1.0
        return muffled / (1.0 + way)

    def _obs(self):
        r, c = self.me
        ears = [self._loudness(r, c)]
        ears += [self._loudness(r + dr, c + dc) for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        return np.array([*ears, r / (self.side - 1), c / (self.side - 1)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.walls = self.np_random.random((self.side, self.side)) < 0.15
        spots = self.np_random.choice(self.side**2, 2, replace=False)
        self.me = divmod(int(spots[0]), self.side)
        self.bell = divmod(int(spots[1]), self.side)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((-1, 0), (1, 0), (0, -1), (0, 1))[int(action)]
        r = min(max(self.me[0] + dr, 0), self.side - 1)
        c = min(max(self.me[1] + dc, 0), self.side - 1)
        self.me = (r, c)
        self.t += 1
        found = self.me == self.bell
        cost = 0.04 if self.walls[r, c] else 0.02
        return self._obs(), 1.0 if found else -cost, found, self.t >= self.max_steps and not found, {}
