import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces

LIMITS = np.array([1.0, 1.0, 9.0, 6.0, 1.5], dtype=np.float32)


def wrap(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


class Env(gym.Env):
    """Swing a load that can go all the way round; rest it hanging, far out to the right."""

    dt = 0.04
    max_steps = 200

    def __init__(self):
        self.observation_space = spaces.Box(-LIMITS, LIMITS, dtype=np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.angle = self.omega = 0.0
        self.x = self.v = 0.0
        self.t = 0

    def _obs(self):
        raw = np.array([math.sin(self.angle), math.cos(self.angle), self.omega, self.x, self.v], dtype=np.float32)
        return np.clip(raw, -LIMITS, LIMITS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle = float(self.np_random.uniform(-math.pi, math.pi))
        self.omega = float(self.np_random.uniform(-1.0, 1.0))
        self.x = float(self.np_random.uniform(-4.0, 4.0))
        self.v = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        push = 4.0 * float(np.clip(action[0], -1.0, 1.0))
        self.v = min(max(self.v + self.dt * (push - 0.5 * self.v), -1.5), 1.5)
        self.x += self.dt * self.v
        if abs(self.x) >= 6.0:
            self.x = math.copysign(6.0, self.x)
            self.v = 0.0
        spin = -9.0 * math.sin(self.angle) - push * math.cos(self.angle) - 0.3 * self.omega
        self.omega = min(max(self.omega + self.dt * spin, -9.0), 9.0)
        self.angle = wrap(self.angle + self.dt * self.omega)
        self.t += 1
        cost = self.angle**2 / 10 + 0.1 * abs(self.x - 3.0) + 0.01 * self.omega**2 + 0.001 * push**2
        return self._obs(), -cost, False, self.t >= self.max_steps, {}
