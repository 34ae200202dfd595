import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Swing an arm on a motor to the top and keep it there."""

    step_limit = 150

    def __init__(self):
        high = np.array([math.pi, 8.0], np.float32)
        self.observation_space = spaces.Box(-high, high, dtype=np.float32)
        self.action_space = spaces.Discrete(2)
        self.lean = self.turning = 0.0
        self.clock = 0

    def _obs(self):
        return np.array([self.lean, self.turning], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lean = float(self.np_random.uniform(-0.5, 0.5))
        self.turning = 0.0
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        shove = 6.0 if int(action) == 1 else -6.0
        self.turning = min(max(self.turning + 0.05 * (9.0 * math.sin(self.lean) + shove), -8.0), 8.0)
        self.lean += 0.05 * self.turning
        self.clock += 1
        reward = math.cos(self.lean)
        return self._obs(), reward, False, self.clock >= self.step_limit, {}
