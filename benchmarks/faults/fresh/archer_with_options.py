"""Shoot at a mark that can be placed: reset() has options, spaces are properties, an episode has five shots."""

from __future__ import annotations

import functools

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class ArcherWithOptions(gym.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}

    def __init__(self, *, shots: int = 5, wind: float = 0.3, render_mode: str | None = None):
        self.shots, self.wind = shots, wind
        self.render_mode = render_mode
        self._frame = np.zeros((24, 48, 3), np.uint8)

    @functools.cached_property
    def observation_space(self):
        return spaces.Box(-1.0, 1.0, (3,), np.float32)

    @functools.cached_property
    def action_space(self):
        return spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _observation(self):
        return np.array([self._mark, self._breeze, 2 * self._shot / self.shots - 1], np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        super().reset(seed=seed)
        self._mark = float(self.np_random.uniform(-0.8, 0.8))
        if options and "mark" in options:
            self._mark = float(np.clip(options["mark"], -0.8, 0.8))
        self._breeze = float(self.np_random.uniform(-self.wind, self.wind))
        self._shot = 0
        self._hit = 0.0
        return self._observation(), {"mark": self._mark}

    def step(self, action):
        aim, draw = (float(a) for a in np.clip(action, -1.0, 1.0))
        strength = 0.75 + 0.25 * draw
        self._hit = float(np.clip(aim * strength + self._breeze / strength, -1.5, 1.5))
        off = abs(self._hit - self._mark)
        self._breeze = float(np.clip(self._breeze + 0.1 * self.np_random.normal(), -1.0, 1.0))
        self._shot += 1
        return self._observation(), float(np.exp(-4.0 * off)), self._shot == self.shots, False, {"off": off}

    def render(self):
        if self.render_mode is None:
            return None
        frame = self._frame.copy()
        frame[:, int(24 + 15 * self._mark)] = (255, 0, 0)
        frame[12, int(24 + 15 * self._hit)] = (255, 255, 255)
        return frame
