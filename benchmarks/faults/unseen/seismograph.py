import os

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Tape:
    """Where the needle's trace goes."""

    def __init__(self):
        self.out = open(os.devnull, "w")

    def mark(self, value):
        self.out.write(f"{value:.3f}\n")


class Env(gym.Env):
    """Damp the needle of a seismograph against the shaking of the ground."""

    max_steps = 60

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.tapes = []
        self.needle = self.speed = self.ground = 0.0
        self.t = 0

    def _obs(self):
        return np.clip(np.array([self.needle, self.speed / 2, self.ground], np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tapes.append(Tape())
        self.needle = float(self.np_random.uniform(-0.5, 0.5))
        self.speed = 0.0
        self.ground = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        force = float(np.clip(action[0], -1.0, 1.0))
        self.ground = 0.8 * self.ground + 0.2 * float(self.np_random.normal(0, 0.5))
        self.speed = 0.9 * self.speed + 0.2 * (force + self.ground - 0.5 * self.needle)
        self.needle = float(np.clip(self.needle + 0.2 * self.speed, -1.0, 1.0))
        self.tapes[-1].mark(self.needle)
        self.t += 1
        reward = 0.5 - abs(self.needle) - 0.05 * abs(force)
        return self._obs(), reward, False, self.t >= self.max_steps, {}

    def close(self):
        for tape in self.tapes:
            tape.out.close()
        self.tapes = []
