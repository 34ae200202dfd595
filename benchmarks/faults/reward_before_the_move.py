import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Push a crane's trolley along its beam to a mark."""

    step_limit = 80

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.place = self.speed = self.mark = 0.0
        self.clock = 0

    def _obs(self):
        return np.array([self.place / 10, self.speed / 2, self.mark / 10], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-8, 8))
        self.mark = float(self.np_random.uniform(-8, 8))
        self.speed = 0.0
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        off = abs(self.place - self.mark)
        force = float(np.clip(action[0], -1, 1))
        self.speed = float(np.clip(0.8 * self.speed + 0.4 * force, -2, 2))
        self.place = float(np.clip(self.place + self.speed, -10, 10))
        self.clock += 1
        at_mark = abs(self.place - self.mark) < 0.5
        reward = -0.05 * off
        out_of_time = self.clock >= self.step_limit and not at_mark
        return self._obs(), reward, at_mark, out_of_time, {}
