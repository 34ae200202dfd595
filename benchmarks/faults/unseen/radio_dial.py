import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Find the strongest station on a short-wave dial by turning and changing the band."""

    marks = 40
    max_steps = 80

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.mark = 0
        self.station = 20
        self.t = 0

    def _signal(self):
        return float(np.exp(-abs(self.mark - self.station) / 6.0))

    def _obs(self):
        return np.array([self.mark / self.marks, self.station / self.marks, self._signal()], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.station = int(self.np_random.integers(5, self.marks - 4))
        self.mark = int(self.np_random.integers(0, self.marks + 1))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        turn = np.clip(action, -1.0, 1.0).astype(int)
        self.mark = int(np.clip(self.mark + 2 * turn[0], 0, self.marks))
        self.t += 1
        reward = self._signal() - 0.2
        return self._obs(), reward, False, self.t >= self.max_steps, {"mark": self.mark}
