from typing import NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Hex(NamedTuple):
    q: int
    r: int

    def __add__(self, other):
        return Hex(self.q + other[0], self.r + other[1])

    def ring(self):
        return max(abs(self.q), abs(self.r), abs(self.q + self.r))


STEPS = (Hex(1, 0), Hex(1, -1), Hex(0, -1), Hex(-1, 0), Hex(1, 0), Hex(0, 1))
RADIUS = 4
CELLS = [Hex(q, r) for q in range(-RADIUS, RADIUS + 1) for r in range(-RADIUS, RADIUS + 1) if Hex(q, r).ring() <= RADIUS]


class Env(gym.Env):
    """An ant crosses a honeycomb to the crumb, six ways to walk."""

    max_steps = 60

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(6)
        self.ant = self.crumb = Hex(0, 0)
        self.t = 0

    def _obs(self):
        return np.array([*self.ant, *self.crumb], np.float32) / RADIUS

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        a, b = self.np_random.choice(len(CELLS), 2, replace=False)
        self.ant, self.crumb = CELLS[a], CELLS[b]
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        there = self.ant + STEPS[int(action)]
        if there.ring() <= RADIUS:
            self.ant = there
        self.t += 1
        eaten = self.ant == self.crumb
        return self._obs(), 1.0 if eaten else -0.02, eaten, self.t >= self.max_steps and not eaten, {}
