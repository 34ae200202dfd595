import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Move a net along the bottom of a night picture to catch falling fireflies."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 15}
    side = 48
    max_steps = 200

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 255, (self.side, self.side, 1), np.uint8)
        self.action_space = spaces.Discrete(3)
        self.net = 24
        self.fly = np.array([0, 24])
        self.missed = 0
        self.t = 0

    def _light(self):
        picture = np.full((self.side, self.side), 0.08)
        r, c = self.fly
        picture[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2] = 0.6
        picture[r, c] = 0.98
        picture[-3:, max(self.net - 4, 0) : self.net + 5] = 0.75
        return picture

    def _obs(self):
        return self._light()[..., None].astype(np.uint8)

    def _spawn(self):
        self.fly = np.array([0, int(self.np_random.integers(2, self.side - 2))])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.net = int(self.np_random.integers(4, self.side - 4))
        self.missed = 0
        self.t = 0
        self._spawn()
        return self._obs(), {}

    def step(self, action):
        self.net = int(np.clip(self.net + 2 * (int(action) - 1), 4, self.side - 5))
        self.fly[0] += 2
        reward = 0.0
        if self.fly[0] >= self.side - 3:
            caught = abs(int(self.fly[1]) - self.net) <= 4
            reward = 1.0 if caught else -1.0
            self.missed += not caught
            self._spawn()
        self.t += 1
        over = self.missed >= 3
        return self._obs(), reward, over, self.t >= self.max_steps and not over, {}

    def render(self):
        grey = (255 * self._light()).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
