"""Paint a canvas in shades: an image with its channels first, a brush of three choices, frames to look at."""

import gymnasium as gym
import numpy as np


class CanvasToFill(gym.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, size=36, strokes=30, render_mode=None):
        self.size, self.strokes = size, strokes
        self.render_mode = render_mode
        self.observation_space = gym.spaces.Box(0, 255, (2, size, size), np.uint8)
        self.action_space = gym.spaces.MultiDiscrete([6, 6, 4])

    def _image(self):
        return np.round(255 * np.stack([self.wanted, self.canvas])).astype(np.uint8)

    def _wrong(self):
        return float(np.abs(self.wanted - self.canvas).mean())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        coarse = self.np_random.integers(0, 4, (6, 6)) / 4.0
        self.wanted = np.kron(coarse, np.ones((self.size // 6, self.size // 6)))
        self.canvas = np.full((self.size, self.size), 0.5)
        self.used = 0
        return self._image(), {"wrong": self._wrong()}

    def step(self, action):
        row, column, shade = (int(part) for part in action)
        before = self._wrong()
        side = self.size // 6
        self.canvas[row * side : (row + 1) * side, column * side : (column + 1) * side] = shade / 4.0
        self.used += 1
        finished = self._wrong() < 1e-9
        reward = 10.0 * (before - self._wrong())
        return self._image(), reward, finished, self.used >= self.strokes, {"wrong": self._wrong()}

    def render(self):
        if self.render_mode != "rgb_array":
            return None
        grey = np.round(255 * np.concatenate([self.wanted, self.canvas], axis=1)).astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
