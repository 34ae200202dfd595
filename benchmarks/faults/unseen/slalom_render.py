import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Canvas:
    def __init__(self, h, w):
        self.pixels = np.zeros((h, w, 3), np.uint8)

    def paint(self, snow, gates, skier):
        self.pixels[:] = snow
        for r, left, right in gates:
            self.pixels[r, left] = self.pixels[r, right] = (200, 30, 30)
        self.pixels[skier] = (20, 20, 160)
        return self.pixels.copy()


class Env(gym.Env):
    """Ski through gates; pictures are drawn only when somebody asks for them."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    width, gates, spacing = 31, 12, 6

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.course = np.zeros(self.gates, np.int64)
        self.col, self.row = 15, 0
        self.canvas = None

    def _gate(self):
        return int(self.course[min(self.row // self.spacing, self.gates - 1)])

    def _obs(self):
        mid = (self.width - 1) / 2
        left = self.spacing - self.row % self.spacing
        done = self.row / (self.gates * self.spacing)
        return np.array([self.col / mid - 1, self._gate() / mid - 1, left / self.spacing, done], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        jumps = self.np_random.integers(-5, 6, self.gates)
        self.course = np.clip(15 + np.cumsum(jumps), 3, self.width - 4)
        self.col, self.row = 15, 0
        return self._obs(), {}

    def step(self, action):
        self.col = min(max(self.col + int(action) - 1, 0), self.width - 1)
        gate = self._gate()
        self.row += 1
        reward = 0.0
        if self.row % self.spacing == 0:
            reward = 1.0 if abs(self.col - gate) <= 2 else -0.5
        return self._obs(), reward, self.row >= self.gates * self.spacing, False, {}

    def render(self):
        if self.render_mode != "rgb_array":
            return None
        if self.canvas is None:
            self.canvas = Canvas(16, self.width)
        shown = []
        for k, c in enumerate(self.course):
            line = (k + 1) * self.spacing - self.row + 2
            if 0 <= line < 16:
                shown.append((line, int(c) - 2, int(c) + 2))
        return self.canvas.paint((245, 248, 255), shown, (2, self.col))

    def close(self):
        self.canvas = None
