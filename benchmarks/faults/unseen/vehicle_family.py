from abc import abstractmethod

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Vehicle(gym.Env):
    """Things that travel along a track; a subclass says how the pedal works."""

    track = 100.0
    max_steps = 120

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.x = self.v = 0.0
        self.halt = 50.0
        self.t = 0

    @abstractmethod
    def pull(self, action) -> float: ...

    def sense(self):
        return np.clip(np.array([self.x / self.track, self.v / 3.0, self.halt / self.track], np.float32), 0.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.v = 0.0
        self.halt = float(self.np_random.uniform(40, 90))
        self.t = 0
        return self.sense(), {}

    def step(self, action):
        self.v = min(max(self.v + self.pull(action), 0.0), 3.0)
        self.x = min(self.x + self.v, self.track)
        self.t += 1
        stopped = self.v == 0.0 and abs(self.x - self.halt) < 2.0
        passed = self.x > self.halt + 2.0
        reward = 5.0 if stopped else (-2.0 if passed else -0.02)
        ended = stopped or passed
        return self.sense(), reward, ended, self.t >= self.max_steps and not ended, {}


class Motored(Vehicle):
    levels: tuple = ()

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Discrete(len(self.levels))

    def pull(self, action):
        return self.levels[int(action)]


class Env(Motored):
    """A mail train that must halt at the platform."""

    levels = (-0.3, -0.1, 0.1, 0.2)
