import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Follow a signal that wanders without limit; only the innovation is reported."""

    max_steps = 128

    def __init__(self):
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.signal = 0.0
        self.guess = 0.0
        self.drift = 0.0
        self.t = 0

    def _obs(self, noise):
        seen = self.signal - self.guess + noise
        return np.array([seen, self.drift + 0.1 * noise, np.tanh(seen)], dtype=np.float32)

    def _noise(self):
        return 0.1 * float(self.np_random.standard_normal())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.signal = float(self.np_random.normal(0, 1))
        self.guess = 0.0
        self.drift = 0.0
        self.t = 0
        return self._obs(self._noise()), {}

    def step(self, action):
        self.guess += 0.5 * float(np.clip(action[0], -1.0, 1.0))
        self.drift = 0.9 * self.drift + 0.05 * float(self.np_random.standard_normal())
        self.signal += self.drift
        self.t += 1
        error = self.signal - self.guess
        reward = float(np.exp(-error * error))
        return self._obs(self._noise()), reward, False, self.t >= self.max_steps, {"error": error}
