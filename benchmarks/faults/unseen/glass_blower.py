import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Blow and turn a glass bubble until it has the ordered size without sagging."""

    max_steps = 80

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.MultiBinary(3)
        self.size = 0.1
        self.sag = 0.0
        self.heat = 1.0
        self.order = 0.5
        self.t = 0

    def _obs(self):
        return np.array([self.size, self.sag, self.heat, self.order], np.float32)

    def _info(self):
        order = self.order
        return {"size": self.size, "quality": lambda size: 1.0 - abs(size - order)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.size = 0.1
        self.sag = 0.0
        self.heat = float(self.np_random.uniform(0.7, 1.0))
        self.order = float(self.np_random.uniform(0.3, 0.9))
        self.t = 0
        return self._obs(), self._info()

    def step(self, action):
        blow, turn, oven = (int(a) for a in action)
        self.heat = float(np.clip(self.heat + (0.1 if oven else -0.02), 0.0, 1.0))
        if blow:
            self.size = min(self.size + 0.05 * self.heat, 1.0)
        self.sag = float(np.clip(self.sag + 0.04 * self.heat - 0.07 * turn, 0.0, 1.0))
        self.t += 1
        burst = self.sag >= 1.0
        fit = 1.0 - 2 * abs(self.size - self.order)
        reward = -3.0 if burst else 0.5 * fit - 0.3 * self.sag
        return self._obs(), reward, burst, self.t >= self.max_steps and not burst, self._info()
