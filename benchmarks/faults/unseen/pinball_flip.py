from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A marble bounces in a strip; hit it with the flipper when it comes down."""

    cells = 16
    depth = 4
    max_steps = 200

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.depth * self.cells,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.strip = np.zeros(self.cells, np.float32)
        self.frames = deque(maxlen=self.depth)
        self.place = 8.0
        self.speed = 0.0
        self.lost = 0
        self.t = 0

    def _draw(self):
        self.strip[:] = 0.0
        self.strip[int(self.place)] = 1.0
        return self.strip

    def _obs(self):
        return np.concatenate(self.frames)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(8, 15))
        self.speed = float(self.np_random.uniform(-1.2, 0.4))
        self.lost = 0
        self.t = 0
        self.frames.clear()
        for _ in range(self.depth):
            self.frames.append(self._draw())
        return self._obs(), {}

    def step(self, action):
        self.speed -= 0.12
        self.place += self.speed
        reward = -0.05 if int(action) else 0.0
        if int(action) and self.place < 2.5 and self.speed < 0:
            self.speed = float(self.np_random.uniform(1.3, 1.8))
            reward += 1.0
        if self.place < 0.0:
            self.lost += 1
            reward -= 1.0
            self.place, self.speed = 10.0, 0.0
        if self.place > self.cells - 1:
            self.place, self.speed = float(self.cells - 1), -abs(self.speed)
        self.frames.append(self._draw())
        self.t += 1
        over = self.lost >= 3
        return self._obs(), reward, over, self.t >= self.max_steps and not over, {}
