import gymnasium as gym
import numpy as np
from gymnasium import spaces

COLD, HOT = 8.0, 62.0


class Env(gym.Env):
    """Blend hot and cold water so that the shower runs at the wanted temperature."""

    metadata = {"render_modes": []}
    max_steps = 100

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.water = 20.0
        self.wanted = 38.0
        self.flow = 0.0
        self.t = 0

    def _scaled(self, celsius):
        return (celsius - 35.0) / 27.0

    def _obs(self):
        view = np.array([self._scaled(self.water), self._scaled(self.wanted), self.flow - 1.0], np.float32)
        return np.clip(view, -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.water = float(self.np_random.uniform(10.0, 25.0))
        self.wanted = float(self.np_random.uniform(32.0, 42.0))
        self.flow = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        taps = np.asarray(action, dtype=np.float32)
        np.clip(taps, -1.0, 1.0, out=taps)
        taps += 1.0
        taps *= 0.5
        cold, hot = float(taps[0]), float(taps[1])
        self.flow = cold + hot
        if self.flow > 0.05:
            mixed = (cold * COLD + hot * HOT) / self.flow
            self.water += 0.4 * (mixed - self.water)
        else:
            self.water += 0.05 * (18.0 - self.water)
        self.t += 1
        miss = abs(self.water - self.wanted) / 10.0
        reward = 1.0 - min(miss, 2.0) - 0.2 * abs(self.flow - 1.0)
        return self._obs(), reward, False, self.t >= self.max_steps, {"water": self.water}
