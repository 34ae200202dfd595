import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Keep a lighthouse supplied over five thousand hours; nothing ends early."""

    hours = 5000

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.MultiBinary(2)
        self.oil = 1.0
        self.fog = False
        self.boat = 0
        self.hour = 0

    def _night(self):
        return 1.0 if self.hour % 24 in range(0, 10) else 0.0

    def _obs(self):
        return np.array([self.oil, float(self.fog), self._night(), self.boat / 48], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.oil = float(self.np_random.uniform(0.4, 1.0))
        self.fog = False
        self.boat = 0
        self.hour = 0
        return self._obs(), {}

    def step(self, action):
        lamp, order = bool(action[0]), bool(action[1])
        lit = lamp and self.oil > 0.0
        if lit:
            self.oil = max(self.oil - 0.004, 0.0)
        if self.boat > 0:
            self.boat -= 1
            if self.boat == 0:
                self.oil = 1.0
        elif order:
            self.boat = 48
        needed = self.fog or self._night() > 0
        reward = (0.1 if lit else -0.2) if needed else 0.0
        reward -= 1.0 if order and self.boat == 48 else 0.0
        self.fog = bool(self.np_random.random() < (0.8 if self.fog else 0.05))
        self.hour += 1
        return self._obs(), reward, False, self.hour >= self.hours, {}
