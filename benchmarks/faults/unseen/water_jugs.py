import gymnasium as gym
import numpy as np
from gymnasium import spaces

SIZES = (9, 5, 4)
POURS = [(a, b) for a in range(3) for b in range(3) if a != b]


class Env(gym.Env):
    """Pour between three jugs until the first holds the wanted amount."""

    max_steps = 40

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([s + 1 for s in SIZES] + [SIZES[0] + 1])
        self.action_space = spaces.Discrete(len(POURS))
        self.jugs = [9, 0, 0]
        self.wanted = 3
        self.allowed = np.ones(len(POURS), np.int8)
        self.t = 0

    def _legal(self):
        return np.array([self.jugs[a] > 0 and self.jugs[b] < SIZES[b] for a, b in POURS], dtype=np.int8)

    def action_masks(self):
        return self.allowed.astype(bool)

    def _obs(self):
        return np.array([*self.jugs, self.wanted], dtype=np.int64)

    def _info(self):
        return {"action_mask": self.allowed.copy()}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jugs = [9, 0, 0]
        self.wanted = int(self.np_random.choice([1, 3, 6, 8]))
        self.allowed = self._legal()
        self.t = 0
        return self._obs(), self._info()

    def step(self, action):
        a, b = POURS[int(action)]
        legal = self._legal()
        self.allowed = legal
        valid = bool(legal[int(action)])
        if valid:
            amount = min(self.jugs[a], SIZES[b] - self.jugs[b])
            self.jugs[a] -= amount
            self.jugs[b] += amount
        self.t += 1
        solved = self.jugs[0] == self.wanted
        reward = 2.0 if solved else (-0.05 if valid else -0.3)
        return self._obs(), reward, solved, self.t >= self.max_steps and not solved, self._info()
