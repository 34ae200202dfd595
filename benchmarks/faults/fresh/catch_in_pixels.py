"""Catch what falls, seen as an image; every episode ends when the last fruit has fallen."""

import gymnasium
import numpy as np

HEIGHT, WIDTH = 40, 40


class CatchInPixels(gymnasium.Env):
    """Move the basket under the falling fruit."""

    metadata = {"render_modes": ["rgb_array"]}

    def __init__(self, fruits=3, render_mode=None):
        super().__init__()
        self.fruits = fruits
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, 255, (HEIGHT, WIDTH, 1), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(3)

    def _frame(self):
        frame = np.zeros((HEIGHT, WIDTH, 1), np.uint8)
        frame[self.row : self.row + 2, self.column : self.column + 2] = 255
        frame[-2:, self.basket : self.basket + 6] = 128
        return frame

    def _drop(self):
        self.row = 0
        self.column = int(self.np_random.integers(0, WIDTH - 1))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.caught = self.missed = 0
        self.basket = WIDTH // 2
        self._drop()
        return self._frame(), {"caught": 0}

    def step(self, action):
        self.basket = min(max(self.basket + 4 * (int(action) - 1), 0), WIDTH - 6)
        self.row += 2
        reward = 0.0
        if self.row >= HEIGHT - 2:
            if self.basket - 1 <= self.column < self.basket + 6:
                self.caught += 1
                reward = 1.0
            else:
                self.missed += 1
                reward = -1.0
            self._drop()
        over = self.caught + self.missed >= self.fruits or self.missed >= 2
        return self._frame(), reward, over, False, {"caught": self.caught}

    def render(self):
        return np.repeat(self._frame(), 3, axis=2)
