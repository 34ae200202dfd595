import gymnasium as gym
import numpy as np
from gymnasium import spaces

SIDE = 9


def carve(rng):
    """A perfect maze on the odd cells: every open cell can be reached from every other."""
    rock = np.ones((SIDE, SIDE), bool)
    stack = [(1, 1)]
    rock[1, 1] = False
    while stack:
        r, c = stack[-1]
        ways = [(dr, dc) for dr, dc in ((0, 2), (2, 0), (0, -2), (-2, 0))
                if 0 < r + dr < SIDE and 0 < c + dc < SIDE and rock[r + dr, c + dc]]
        if not ways:
            stack.pop()
            continue
        dr, dc = ways[int(rng.integers(len(ways)))]
        rock[r + dr // 2, c + dc // 2] = rock[r + dr, c + dc] = False
        stack.append((r + dr, c + dc))
    return rock


class Env(gym.Env):
    """Find the cheese in a maze that is carved anew each time; options may name the goal cell."""

    max_steps = 200

    def __init__(self):
        self.observation_space = spaces.MultiBinary(3 * SIDE * SIDE)
        self.action_space = spaces.Discrete(4)
        self.rock = np.ones((SIDE, SIDE), bool)
        self.mouse = self.cheese = (1, 1)
        self.t = 0

    def _obs(self):
        planes = np.zeros((3, SIDE, SIDE), np.int8)
        planes[0] = self.rock
        planes[1][self.mouse] = 1
        planes[2][self.cheese] = 1
        return planes.ravel()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.rock = carve(self.np_random)
        self.mouse = (1, 1)
        goals = [(SIDE - 2, SIDE - 2), (1, SIDE - 2), (SIDE - 2, 1)]
        pick = int(self.np_random.integers(3))
        if options and "goal" in options:
            pick = int(options["goal"]) % 3
        self.cheese = goals[pick]
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((0, 1), (1, 0), (0, -1), (-1, 0))[int(action)]
        to = (self.mouse[0] + dr, self.mouse[1] + dc)
        if not self.rock[to]:
            self.mouse = to
        self.t += 1
        found = self.mouse == self.cheese
        return self._obs(), 1.0 if found else -0.005, found, self.t >= self.max_steps and not found, {}
