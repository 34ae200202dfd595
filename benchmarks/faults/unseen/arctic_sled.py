import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Drive a dog sled to the next hut; the dogs tire and must be rested in time."""

    trail = 60.0
    max_steps = 150

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.start_energy = 1.0
        self.energy = 1.0
        self.way = 0.0
        self.snow = 0.0
        self.t = 0

    def _obs(self):
        return np.array([self.way / self.trail, self.start_energy, self.snow], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.start_energy = float(self.np_random.uniform(0.5, 1.0))
        self.energy = self.start_energy
        self.way = 0.0
        self.snow = float(self.np_random.uniform(0.0, 1.0))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        pace = int(action)
        if pace == 0:
            self.energy = min(self.energy + 0.05, 1.0)
        else:
            self.energy -= (0.015 + 0.02 * self.snow) * pace**1.5
            self.way = min(self.way + pace * (1.0 - 0.4 * self.snow), self.trail)
        self.snow = float(np.clip(self.snow + self.np_random.normal(0, 0.05), 0.0, 1.0))
        self.t += 1
        arrived = self.way >= self.trail
        spent = self.energy <= 0.0
        reward = -0.01
        if arrived:
            reward += 3.0
        elif spent:
            reward -= 2.0
        ended = arrived or spent
        return self._obs(), reward, ended, self.t >= self.max_steps and not ended, {}
