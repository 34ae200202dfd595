import gymnasium as gym
import numpy as np
from gymnasium import spaces

SEASONS = {"spring": 0, "summer": 1, "autumn": 2}
YIELD = np.array([[0.0, 0.0, 0.0], [0.6, 0.9, 0.3], [0.2, 0.7, 1.1]])


class Env(gym.Env):
    """Sow three plots each month; what is ripe is brought in and sold."""

    months = 24

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "soil": spaces.Box(0.0, 1.0, (3,), np.float32),
                "season": spaces.Discrete(3),
                "month": spaces.Box(0.0, 1.0, (1,), np.float32),
            }
        )
        self.action_space = spaces.MultiDiscrete([3, 3, 3])
        self.soil = np.ones(3)
        self.month = 0

    def _season(self):
        return (self.month // 2) % len(SEASONS)

    def _obs(self):
        return {
            "soil": self.soil.astype(np.float32),
            "season": np.int64(self._season()),
            "month": np.array([self.month / self.months], np.float32),
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.soil = self.np_random.uniform(0.5, 1.0, 3)
        self.month = 0
        return self._obs(), {}

    def step(self, action):
        crops = np.asarray(action, dtype=np.int64)
        rain = float(self.np_random.uniform(0.6, 1.2))
        income = float((YIELD[crops, self._season()] * self.soil).sum()) * rain
        cost = 0.15 * int((crops > 0).sum())
        self.soil = np.clip(np.where(crops == 0, self.soil + 0.2, self.soil - 0.12), 0.0, 1.0)
        self.month += 1
        done = self.month >= self.months
        return self._obs(), income - cost, done, False, {"rain": rain}
