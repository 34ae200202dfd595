import gymnasium as gym
import numpy as np
from gymnasium import spaces

_ROWS = [
    "..m...m",
    ".m..m..",
    "....m.m",
    "m..m...",
    ".m...m.",
    "..m.m..",
    "m.....m",
]
MEADOW = np.array([[c == "m" for c in row] for row in _ROWS], dtype=np.float32)
HEADINGS = [(0, 1), (1, 0), (0, -1), (-1, 0)]


class Env(gym.Env):
    """Walk over a meadow and pick all the mushrooms before dusk."""

    max_steps = 250

    def __init__(self):
        h, w = MEADOW.shape
        self.observation_space = spaces.Box(0.0, 1.0, (2 * h * w,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.meadow = MEADOW
        self.row = self.col = 0
        self.t = 0

    def _obs(self):
        me = np.zeros_like(self.meadow)
        me[self.row, self.col] = 1.0
        return np.concatenate([me.ravel(), self.meadow.ravel()])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.meadow = MEADOW
        h, w = self.meadow.shape
        self.row = int(self.np_random.integers(h))
        self.col = int(self.np_random.integers(w))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = HEADINGS[int(action)]
        h, w = self.meadow.shape
        self.row = min(max(self.row + dr, 0), h - 1)
        self.col = min(max(self.col + dc, 0), w - 1)
        found = self.meadow[self.row, self.col] > 0
        if found:
            self.meadow[self.row, self.col] = 0.0
        self.t += 1
        bare = not self.meadow.any()
        reward = (1.0 if found else -0.01) + (2.0 if bare else 0.0)
        return self._obs(), reward, bare, self.t >= self.max_steps and not bare, {}
