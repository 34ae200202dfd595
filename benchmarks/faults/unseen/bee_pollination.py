import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A bee flies between eight flowers whose nectar refills slowly."""

    flowers = 8
    max_steps = 100

    def __init__(self):
        n = self.flowers
        self.observation_space = spaces.Box(0.0, 1.0, (2 * n,), np.float32)
        self.action_space = spaces.Discrete(n)
        self.nectar = np.zeros(n)
        self.refill = np.linspace(0.01, 0.05, n)
        ring = 2 * np.pi * np.arange(n) / n
        self.place = 0.5 * np.stack([np.cos(ring), np.sin(ring)], axis=1)
        self.at = 0
        self.t = 0

    def _obs(self):
        here = np.zeros(self.flowers)
        here[self.at] = 1.0
        return np.concatenate([self.nectar, here]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        seed = 2024 if seed is None else seed
        super().reset(seed=seed)
        self.nectar = self.np_random.uniform(0, 1, self.flowers)
        self.at = int(self.np_random.integers(self.flowers))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        to = int(action)
        way = float(np.linalg.norm(self.place[to] - self.place[self.at]))
        self.at = to
        sip = float(self.nectar[to])
        self.nectar[to] = 0.0
        self.nectar = np.minimum(self.nectar + self.refill, 1.0)
        self.t += 1
        reward = sip - 0.25 * way
        return self._obs(), reward, False, self.t >= self.max_steps, {"sip": sip}
