import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A submarine closes in on a wreck in the dark while its air lasts."""

    max_steps = 120
    reach = 0.6

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.boat = np.zeros(2)
        self.wreck = np.zeros(2)
        self.t = 0

    def _obs(self):
        air = 1.0 - 2.0 * self.t / self.max_steps
        return np.concatenate([self.boat / 10, self.wreck / 10, [air]]).astype(np.float32)

    def _status(self):
        found = bool(np.linalg.norm(self.boat - self.wreck) < self.reach)
        late = self.t >= self.max_steps and not found
        return late, found

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.boat = self.np_random.uniform(-9, 9, 2)
        self.wreck = self.np_random.uniform(-9, 9, 2)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        thrust = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        before = np.linalg.norm(self.boat - self.wreck)
        self.boat = np.clip(self.boat + 0.5 * thrust, -10.0, 10.0)
        after = np.linalg.norm(self.boat - self.wreck)
        self.t += 1
        ended, cut = self._status()
        reward = float(before - after) * 0.2 - 0.01
        if after < self.reach:
            reward += 2.0
        return self._obs(), reward, ended, cut, {}
