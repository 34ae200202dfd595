import enum

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Winch(enum.IntEnum):
    HOLD = 0
    RAISE = 1
    LOWER = 2
    RELEASE = 3


class Env(gym.Env):
    """Bring a mine cage to the level that called, with a motor and a brake release."""

    depth = 120.0
    max_steps = 90

    def __init__(self):
        self.observation_space = spaces.Box(
            low=np.array([0.0, 0.0], np.float32), high=np.array([1.0, 1.0], np.float32)
        )
        self.action_space = spaces.Discrete(len(Winch))
        self.rope = 0.0
        self.call = 0.0
        self.t = 0

    def _obs(self):
        return np.array([self.rope / self.depth, self.call / self.depth], np.float32)

    def _move(self, command):
        if command is Winch.RAISE:
            self.rope = max(self.rope - 3.0, 0.0)
        elif command is Winch.LOWER:
            self.rope = min(self.rope + 3.0, self.depth)
        elif command is Winch.RELEASE:
            self.rope += 9.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.rope = float(self.np_random.integers(0, 41)) * 3.0
        self.call = float(self.np_random.integers(0, 41)) * 3.0
        if self.call == self.rope:
            self.call = self.depth - self.rope if self.rope != 60.0 else 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self._move(Winch(int(action)))
        self.t += 1
        gap = abs(self.rope - self.call)
        docked = gap < 1.0
        reward = 2.0 if docked else -0.02 - 0.03 * min(gap, self.depth) / self.depth
        return self._obs(), reward, docked, self.t >= self.max_steps and not docked, {}
