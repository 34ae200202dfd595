"""A puzzle of bits: nothing by chance but the start, one reward at the very end."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class LightsOut(gym.Env):
    SIDE = 3

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.MultiBinary(self.SIDE * self.SIDE)
        self.action_space = spaces.Discrete(self.SIDE * self.SIDE)
        self.lit = np.zeros((self.SIDE, self.SIDE), dtype=np.int8)
        self.moves = 0

    def _press(self, row, column):
        for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < self.SIDE and 0 <= c < self.SIDE:
                self.lit[r, c] ^= 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lit[:] = 0
        while not self.lit.any():
            for place in self.np_random.permutation(self.SIDE * self.SIDE)[:3]:
                self._press(*divmod(int(place), self.SIDE))
        self.moves = 0
        return self.lit.flatten(), {"lit": int(self.lit.sum())}

    def step(self, action):
        self._press(*divmod(int(action), self.SIDE))
        self.moves += 1
        dark = not self.lit.any()
        reward = 1.0 if dark else 0.0
        return self.lit.flatten(), reward, bool(dark), bool(self.moves >= 40 and not dark), {"lit": int(self.lit.sum())}
