import functools
import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces


@functools.lru_cache(maxsize=None)
def wall_distance(ix, iy, k):
    """Distance from a cell to the wall of a round room, along one of eight rays."""
    x, y = ix / 10.0, iy / 10.0
    dx, dy = math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)
    b = x * dx + y * dy
    c = x * x + y * y - 1.0
    return -b + math.sqrt(max(b * b - c, 0.0))


class Env(gym.Env):
    """A cleaner in a round room feels the wall along eight rays and heads for the dust."""

    max_steps = 60
    cells = tuple((x, y) for x in range(-9, 10) for y in range(-9, 10) if x * x + y * y <= 81)

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (10,), np.float32)
        self.action_space = spaces.Discrete(8)
        self.cell = (0, 0)
        self.dust = (5, 5)
        self.t = 0

    def _obs(self):
        rays = [wall_distance(*self.cell, k) - 1.0 for k in range(8)]
        aim = [(self.dust[0] - self.cell[0]) / 18, (self.dust[1] - self.cell[1]) / 18]
        return np.clip(np.array(rays + aim, np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        i, j = self.np_random.choice(len(self.cells), 2, replace=False)
        self.cell, self.dust = self.cells[i], self.cells[j]
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        k = int(action)
        to = (self.cell[0] + round(math.cos(k * math.pi / 4)), self.cell[1] + round(math.sin(k * math.pi / 4)))
        bumped = to[0] ** 2 + to[1] ** 2 > 81
        if not bumped:
            self.cell = to
        self.t += 1
        clean = self.cell == self.dust
        reward = 1.0 if clean else (-0.05 if bumped else -0.02)
        return self._obs(), reward, clean, self.t >= self.max_steps and not clean, {}
