import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Five basins in a row; each sluice lets water into the next, the last into the river."""

    basins = 5
    max_steps = 96

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.basins + 1,), np.float32)
        self.action_space = spaces.MultiBinary(self.basins)
        self.level = np.full(self.basins, 0.5)
        self.rain = 0.1
        self.t = 0

    def _obs(self):
        return np.append(self.level, self.rain / 0.3).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level = self.np_random.uniform(0.2, 0.8, self.basins)
        self.rain = float(self.np_random.uniform(0.0, 0.2))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        sluices = np.asarray(action).astype(bool)
        self.level[0] += self.rain * 0.5
        for i in range(self.basins - 1):
            if sluices[i]:
                moved = min(0.12, self.level[i], 1.0 - self.level[i + 1])
                self.level[i] -= moved
                self.level[i + 1] += moved
        self.level[-1] -= 0.01
        spilled = float(np.maximum(self.level - 1.0, 0.0).sum())
        self.level = np.clip(self.level, 0.0, 1.0)
        self.rain = float(np.clip(self.rain + self.np_random.normal(0, 0.03), 0.0, 0.3))
        self.t += 1
        reward = 0.5 - float(np.abs(self.level - 0.5).mean()) * 2.0 - 3.0 * spilled
        return self._obs(), reward, False, self.t >= self.max_steps, {"spilled": spilled}
