import gymnasium as gym
import numpy as np
from gymnasium import spaces

N = 4


def _pattern(k):
    r, c = divmod(k, N)
    grid = np.zeros((N, N), np.int8)
    for dr, dc in ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)):
        if 0 <= r + dr < N and 0 <= c + dc < N:
            grid[r + dr, c + dc] = 1
    return grid.ravel()


PATTERNS = np.stack([_pattern(k) for k in range(N * N)])
PATTERNS.setflags(write=False)


class Env(gym.Env):
    """Pressing a lamp toggles it and its neighbours; make the whole board dark."""

    max_steps = 50

    def __init__(self):
        self.observation_space = spaces.MultiBinary(N * N)
        self.action_space = spaces.Discrete(N * N)
        self.board = np.zeros(N * N, np.int8)
        self.t = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(N * N, np.int8)
        while not self.board.any():
            presses = int(self.np_random.integers(1, 5))
            for k in self.np_random.choice(N * N, presses, replace=False):
                self.board = self.board ^ PATTERNS[k]
        self.t = 0
        return self.board.copy(), {}

    def step(self, action):
        self.board = self.board ^ PATTERNS[int(action)]
        self.t += 1
        dark = not self.board.any()
        reward = 1.0 if dark else 0.0
        return self.board.copy(), reward, dark, self.t >= self.max_steps and not dark, {"lit": int(self.board.sum())}
