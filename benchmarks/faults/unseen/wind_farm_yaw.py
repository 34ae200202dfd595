import gymnasium as gym
import numpy as np
from gymnasium import spaces


class RunningScale:
    def __init__(self, size):
        self.n = 1e-4
        self.mean = np.zeros(size)
        self.var = np.ones(size)

    def __call__(self, x):
        self.n += 1.0
        delta = x - self.mean
        self.mean = self.mean + delta / self.n
        self.var = self.var + (delta * (x - self.mean) - self.var) / self.n
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-6), -5.0, 5.0)


class Env(gym.Env):
    """Turn the heads of three wind turbines into a veering wind."""

    max_steps = 120

    def __init__(self):
        self.observation_space = spaces.Box(-5.0, 5.0, (5,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.scale = RunningScale(5)
        self.wind = 270.0
        self.speed = 8.0
        self.heads = np.full(3, 270.0)
        self.t = 0

    def _obs(self):
        return self.scale(np.array([self.wind, self.speed, *self.heads])).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wind = float(self.np_random.uniform(240, 300))
        self.speed = float(self.np_random.uniform(5, 12))
        self.heads = np.full(3, 270.0)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        yaw = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        self.heads = np.clip(self.heads + 4.0 * yaw, 180.0, 360.0)
        self.wind = float(np.clip(self.wind + self.np_random.normal(0, 2.0), 200.0, 340.0))
        self.speed = float(np.clip(self.speed + self.np_random.normal(0, 0.3), 3.0, 14.0))
        off = np.deg2rad(self.heads - self.wind)
        power = (np.maximum(np.cos(off), 0.0) ** 3).mean() * (self.speed / 14.0)
        self.t += 1
        reward = float(power) - 0.02 * float(np.abs(yaw).mean())
        return self._obs(), reward, False, self.t >= self.max_steps, {}
