import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Turn a telescope until the guide star sits in the middle of the field."""

    max_steps = 100
    speeds = (-0.2, -0.05, 0.0, 0.05, 0.2)

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.MultiDiscrete([5, 5])
        self.axis = np.zeros(2)
        self.star = np.zeros(2)
        self.t = 0

    def _obs(self):
        return np.concatenate([self.axis, self.star]).astype(np.float32)

    def _offset(self):
        return float(np.hypot(*(self.axis - self.star)))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.axis = self.np_random.uniform(-0.9, 0.9, 2)
        self.star = self.np_random.uniform(-0.9, 0.9, 2)
        self.t = 0
        return self._obs(), {"offset": self._offset()}

    def step(self, action):
        before = self._offset()
        turn = np.array([self.speeds[int(a)] for a in action])
        self.axis = np.clip(self.axis + turn, -1.0, 1.0)
        after = self._offset()
        self.t += 1
        centred = after < 0.04
        reward = 3.0 * abs(before - after)
        if centred:
            reward += 1.0
        return self._obs(), reward, centred, self.t >= self.max_steps and not centred, {"offset": after}
