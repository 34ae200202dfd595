import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Two hands catch balls that come down in turn at one of five places."""

    places = 5
    max_steps = 150

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.hand = 2
        self.ball = 0
        self.height = 6.0
        self.shows = 0
        self.t = 0

    def _obs(self):
        return np.array([self.hand / 4, self.ball / 4, max(self.height, 0.0) / 6.0], np.float32)

    def _throw(self):
        self.ball = int(self.np_random.integers(self.places))
        self.height = 6.0

    def _fall(self):
        return 0.8 + min(0.02 * self.shows, 2.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hand = 2
        self.shows += 1
        self.t = 0
        self._throw()
        return self._obs(), {}

    def step(self, action):
        self.hand = min(max(self.hand + int(action) - 1, 0), self.places - 1)
        self.height -= self._fall()
        self.t += 1
        dropped = False
        reward = 0.0
        if self.height <= 0.0:
            dropped = self.hand != self.ball
            reward = -1.0 if dropped else 1.0
            if not dropped:
                self._throw()
        return self._obs(), reward, dropped, self.t >= self.max_steps and not dropped, {}
