import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Fly a kite: pull or release the line so that it stays high in gusty wind."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}
    max_steps = 150

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.high = self.wind = 0.5
        self.line = 0.5
        self.t = 0

    def _obs(self):
        return np.array([self.high, self.wind, self.line], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.high = float(self.np_random.uniform(0.4, 0.6))
        self.wind = float(self.np_random.uniform(0.3, 0.7))
        self.line = 0.5
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.line = float(np.clip(self.line + 0.1 * (int(action) - 1), 0.0, 1.0))
        self.wind = float(np.clip(self.wind + self.np_random.normal(0, 0.06), 0.0, 1.0))
        lift = 0.12 * (self.wind - 0.3) - 0.15 * abs(self.line - self.wind)
        self.high = float(np.clip(self.high + lift + 0.03, 0.0, 1.0))
        self.t += 1
        crashed = self.high <= 0.0
        reward = -2.0 if crashed else self.high
        return self._obs(), reward, crashed, self.t >= self.max_steps and not crashed, {}

    def render(self):
        if self.render_mode is None:
            return None
        frame = np.full((48, 64, 3), (130, 190, 240), np.uint8)
        for _ in range(12):
            r, c = self.np_random.integers((40, 60))
            frame[r, c : c + 1 + int(3 * self.wind)] = 255
        row = int((1.0 - self.high) * 43)
        frame[row : row + 4, 30:34] = (220, 40, 40)
        frame[44:] = (230, 210, 140)
        return frame
