import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Balance a flagpole by moving its base."""

    step_limit = 150
    most_lean = 0.35

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.lean = self.turning = 0.0
        self.clock = 0

    def _obs(self):
        return np.clip(np.array([self.lean / 0.5, self.turning / 3], np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lean = float(self.np_random.uniform(-0.08, 0.08))
        self.turning = 0.0
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        shove = 6.0 if int(action) == 1 else -6.0
        self.turning += 0.02 * (9.0 * math.sin(self.lean) + shove)
        self.lean += 0.02 * self.turning
        self.clock += 1
        down_now = abs(self.lean) > self.most_lean
        reward = -1.0 if down_now else -1.0 - abs(self.lean)
        return self._obs(), reward, down_now, self.clock >= self.step_limit and not down_now, {}
