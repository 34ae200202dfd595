import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Fly through a scrolling cave seen from the side as a small grey picture."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}
    rows, cols = 40, 56
    max_steps = 300

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 255, (self.rows, self.cols, 1), np.uint8)
        self.action_space = spaces.Discrete(3)
        self.roof = np.zeros(self.cols, np.int64)
        self.gap = 18
        self.ship = 20
        self.t = 0

    def _grow(self, top):
        step = int(self.np_random.integers(-1, 2))
        return min(max(top + step, 2), self.rows - self.gap - 2)

    def _picture(self):
        r = np.arange(self.rows)[:, None]
        rock = (r < self.roof[None, :]) | (r >= self.roof[None, :] + self.gap)
        picture = np.where(rock, 90, 0).astype(np.uint8)
        picture[self.ship - 1 : self.ship + 2, 5:9] = 255
        return picture

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        tops = [11]
        for _ in range(self.cols - 1):
            tops.append(self._grow(tops[-1]))
        self.roof = np.array(tops)
        self.ship = 11 + self.gap // 2
        self.t = 0
        return self._picture()[..., None], {}

    def step(self, action):
        self.ship = int(np.clip(self.ship + int(action) - 1, 1, self.rows - 2))
        self.roof = np.append(self.roof[1:], self._grow(int(self.roof[-1])))
        self.t += 1
        top = int(self.roof[5:9].max())
        bottom = int(self.roof[5:9].min()) + self.gap
        crashed = self.ship - 1 < top or self.ship + 1 >= bottom
        reward = -1.0 if crashed else 0.1
        return self._picture()[..., None], reward, crashed, self.t >= self.max_steps and not crashed, {}

    def render(self):
        if self.render_mode is None:
            return None
        return np.repeat(self._picture()[..., None], 3, axis=2)
