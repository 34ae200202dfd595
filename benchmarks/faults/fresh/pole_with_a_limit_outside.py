"""A pole that falls: the limit is a wrapper's, and both stand in one file."""

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import TimeLimit


class Pole(gym.Env):
    """Upright is paid; more than a third of a right angle away, it has fallen."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-10.0, 10.0, (2,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.uniform(-0.05, 0.05, 2)
        return self._seen(), {}

    def _seen(self):
        return np.clip([self.angle, self.speed], -10, 10).astype(np.float32)

    def step(self, action):
        torque = float(action[0])
        self.speed += 0.05 * (9.8 * np.sin(self.angle) + 6.0 * torque)
        self.angle += 0.05 * self.speed
        fallen = bool(abs(self.angle) > 0.52)
        reward = 0.0 if fallen else float(np.cos(self.angle)) - 0.01 * torque**2
        return self._seen(), reward, fallen, False, {}


class PoleWithALimit(TimeLimit):
    """What is trained on."""

    def __init__(self):
        super().__init__(Pole(), max_episode_steps=150)
