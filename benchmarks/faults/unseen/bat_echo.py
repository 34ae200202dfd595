import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A bat steers between pillars by the echoes of six ears."""

    max_steps = 120
    angles = np.linspace(-1.0, 1.0, 6)

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "echo": spaces.Box(0.0, 1.0, (6,), np.float32),
                "side": spaces.Box(-1.0, 1.0, (1,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(3)
        self.pillars = np.zeros((0, 2))
        self.x = self.y = 0.0
        self.t = 0

    def _echo(self):
        rel = self.pillars - np.array([self.x, self.y])
        ahead = rel[(rel[:, 0] > 0) & (rel[:, 0] < 4.0) & (np.abs(rel[:, 1]) < 3.0)]
        if len(ahead) == 0:
            return np.ones(6)
        ears = np.ones(6, np.float32)
        for dx, dy in ahead:
            ear = int(np.argmin(np.abs(self.angles - np.arctan2(dy, dx))))
            ears[ear] = min(ears[ear], float(np.hypot(dx, dy)) / 5.0)
        return ears

    def _obs(self):
        return {"echo": self._echo(), "side": np.array([self.y / 4.0], np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        xs = np.arange(3.0, 70.0, 1.4)
        ys = self.np_random.uniform(-4.0, 4.0, len(xs))
        self.pillars = np.stack([xs, ys], axis=1)
        self.x, self.y = 0.0, 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.x += 0.5
        self.y = float(np.clip(self.y + 0.4 * (int(action) - 1), -4.0, 4.0))
        self.t += 1
        gap = np.hypot(self.pillars[:, 0] - self.x, self.pillars[:, 1] - self.y).min()
        bumped = bool(gap < 0.35)
        reward = -2.0 if bumped else 0.1
        return self._obs(), reward, bumped, self.t >= self.max_steps and not bumped, {}
