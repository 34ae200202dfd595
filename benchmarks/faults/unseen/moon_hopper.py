import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Land a hopper softly on the moon; the motor setting is held for six ticks at a time."""

    hold = 6
    dt = 0.2
    max_steps = 80

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.h = 40.0
        self.v = 0.0
        self.fuel = 1.0
        self.t = 0

    def _obs(self):
        raw = [self.h / 50 - 1, self.v / 15, 2 * self.fuel - 1]
        return np.clip(np.array(raw, np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.h = float(self.np_random.uniform(30, 50))
        self.v = float(self.np_random.uniform(-3, 1))
        self.fuel = 1.0
        self.t = 0
        return self._obs(), {}

    def _tick(self, level):
        lift = 0.0
        if self.fuel > 0.0:
            lift = 1.8 * level
            self.fuel = max(self.fuel - 0.004 * level, 0.0)
        self.v += self.dt * (lift - 1.6)
        self.h += self.dt * self.v
        if self.h <= 0.0:
            speed = self.v
            self.h, self.v = 0.0, -0.5 * self.v
            return True, abs(speed)
        self.h = min(self.h, 100.0)
        return False, 0.0

    def step(self, action):
        level = int(action)
        reward = -0.01 * level
        for _ in range(self.hold):
            landed, speed = self._tick(level)
        if landed:
            reward += 3.0 if speed < 2.5 else -3.0
        self.t += 1
        return self._obs(), reward, landed, self.t >= self.max_steps and not landed, {}
