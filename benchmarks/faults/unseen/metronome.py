import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Tap a drum in time with a hidden pendulum for eight seconds."""

    dt = 0.1
    duration = 8.0

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.clock = 0.0
        self.phase = 0.0
        self.pace = 3.0
        self.since = 1.0

    def _obs(self):
        return np.array([np.sin(self.phase), np.cos(self.phase), min(self.since, 1.0)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clock = 0.0
        self.phase = float(self.np_random.uniform(0, 2 * np.pi))
        self.pace = float(self.np_random.uniform(2.0, 5.0))
        self.since = 1.0
        return self._obs(), {}

    def step(self, action):
        self.clock += self.dt
        self.phase = (self.phase + self.pace * self.dt) % (2 * np.pi)
        self.since += self.dt
        reward = 0.0
        if int(action) == 1:
            reward = float(np.cos(self.phase)) - 0.3
            if self.since < 0.3:
                reward = -0.3
            self.since = 0.0
        finished = self.clock == self.duration
        return self._obs(), reward, False, finished, {"clock": self.clock}
