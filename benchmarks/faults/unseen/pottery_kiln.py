import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Fire a kiln along a ramp; the lining ages while it is used."""

    max_steps = 220
    ambient = 20.0
    top = 1300.0

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.heat = self.ambient
        self.age = 0.0
        self.slope = 5.0
        self.t = 0

    def _plan(self):
        return min(self.ambient + self.slope * self.t, 1050.0)

    def _obs(self):
        heat = min(self.heat / self.top, 1.0)
        return np.array([heat, self._plan() / self.top, self.age, self.t / self.max_steps], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heat = self.ambient + float(self.np_random.uniform(0, 30))
        self.slope = float(self.np_random.uniform(4.0, 7.0))
        self.age = float(self.np_random.uniform(0.0, 0.05))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        burners = int(action)
        gain = 6.0 * burners * (1.0 - 0.2 * min(self.age, 1.0))
        loss = 0.011 * (self.heat - self.ambient)
        self.heat = float(np.clip(self.heat + gain - loss, self.ambient, self.top))
        self.age += 0.005 + 0.0007 * burners
        self.t += 1
        miss = abs(self.heat - self._plan()) / 100.0
        reward = 0.5 - min(miss, 2.0) - 0.02 * burners
        return self._obs(), reward, False, self.t >= self.max_steps, {}
