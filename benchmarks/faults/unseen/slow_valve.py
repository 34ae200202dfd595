from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A long pipe: what the valve is told arrives at the tank three steps later. The pipe is visible."""

    delay = 3
    max_steps = 90

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (2 + self.delay,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.pipe = deque([0.0] * self.delay, maxlen=self.delay)
        self.level = 0.0
        self.mark = 0.0
        self.t = 0

    def _obs(self):
        return np.array([self.level, self.mark, *self.pipe], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pipe = deque([0.0] * self.delay, maxlen=self.delay)
        self.level = float(self.np_random.uniform(-0.8, 0.8))
        self.mark = float(self.np_random.uniform(-0.6, 0.6))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        arriving = self.pipe.popleft()
        self.pipe.append(float(np.clip(action[0], -1.0, 1.0)))
        self.level = float(np.clip(0.98 * self.level + 0.15 * arriving, -1.0, 1.0))
        self.t += 1
        reward = 1.0 - 2.0 * abs(self.level - self.mark)
        return self._obs(), reward, False, self.t >= self.max_steps, {}
