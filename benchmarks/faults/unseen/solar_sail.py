import gymnasium as gym
import numpy as np
from gymnasium import spaces

FACES = 20


def heading(k):
    angle = 2 * np.pi * k / FACES
    raw = np.array([np.cos(angle), np.sin(angle), 0.25], np.float32)
    return raw / np.linalg.norm(raw)


class Env(gym.Env):
    """Turn the sail of a probe step by step until it faces the sun and keep it there."""

    max_steps = 80

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (7,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.sail = 0
        self.sun = 0
        self.charge = 0.0
        self.t = 0

    def _angle(self):
        return np.arccos(np.dot(heading(self.sail), heading(self.sun)))

    def _obs(self):
        off = np.float32(self._angle() / np.pi)
        a, b = heading(self.sail), heading(self.sun)
        return np.array([a[0], a[1], b[0], b[1], off, 2 * self.charge - 1, self.t / self.max_steps], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sun = int(self.np_random.integers(FACES))
        self.sail = (self.sun + int(self.np_random.integers(4, FACES - 3))) % FACES
        self.charge = 0.2
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.sail = (self.sail + int(action) - 1) % FACES
        lit = max(float(np.dot(heading(self.sail), heading(self.sun))), 0.0)
        self.charge = float(np.clip(self.charge + 0.05 * lit - 0.02, 0.0, 1.0))
        self.t += 1
        reward = 0.5 * lit - 0.02 * abs(int(action) - 1)
        return self._obs(), reward, False, self.t >= self.max_steps, {}
