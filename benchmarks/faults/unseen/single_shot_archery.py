import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """One arrow per episode: look at wind and distance, choose height and side, and that is it."""

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.view = (0.0, 0.0)

    def _obs(self, flown=False):
        return np.array([*self.view, 1.0 if flown else -1.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        wind, distance = self.np_random.uniform(-1.0, 1.0, 2)
        self.view = (float(wind), float(distance))
        return self._obs(), {}

    def step(self, action):
        height, side = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        wind, distance = self.view
        drop = 0.6 * distance - 0.8 * height
        drift = 0.5 * wind * (1.0 + 0.3 * distance) + 0.9 * side
        shake = self.np_random.normal(0.0, 0.03, 2)
        miss = float(np.hypot(drop + shake[0], drift + shake[1]))
        rings = max(0.0, 10.0 - 10.0 * miss)
        return self._obs(flown=True), rings / 10.0, True, False, {"rings": rings}
