import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A dog drives one sheep into a pen in the corner of the field."""

    field = 10.0
    pen = np.array([9.0, 9.0])
    max_steps = 200

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.dog = np.zeros(2)
        self.sheep = np.full(2, 5.0)
        self.last_gap = 0.0
        self.t = 0

    def _obs(self):
        return (np.concatenate([self.dog, self.sheep]) / self.field).astype(np.float32)

    def _gap(self):
        return float(np.linalg.norm(self.sheep - self.pen))

    def _flee(self):
        away = self.sheep - self.dog
        far = float(np.linalg.norm(away))
        if far < 2.5:
            push = away / max(far, 1e-3) * 0.4
            self.sheep = np.clip(self.sheep + push, 0.0, self.field)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dog = self.np_random.uniform(0.0, 3.0, 2)
        self.sheep = self.np_random.uniform(3.0, 6.0, 2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        run = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        self.dog = np.clip(self.dog + 0.6 * run, 0.0, self.field)
        self._flee()
        gap = self._gap()
        reward = self.last_gap - gap - 0.01
        self.last_gap = gap
        self.t += 1
        penned = gap < 1.0
        if penned:
            reward += 5.0
        return self._obs(), reward, penned, self.t >= self.max_steps and not penned, {}
