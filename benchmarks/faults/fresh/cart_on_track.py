"""A cart that is kept on its track: unbounded speeds, two render modes, numpy state."""

from typing import Optional

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class CartOnTrack(gym.Env):
    """Keep the cart on the track while gusts push it."""

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 25}

    def __init__(self, render_mode: Optional[str] = None, force: float = 8.0):
        assert render_mode is None or render_mode in self.metadata["render_modes"]
        self.render_mode = render_mode
        self.force = force
        self.x_threshold = 2.4
        self._max_episode_steps = 200
        high = np.array([self.x_threshold * 2, np.finfo(np.float32).max], dtype=np.float32)
        self.observation_space = spaces.Box(-high, high, dtype=np.float32)
        self.action_space = spaces.Discrete(2)
        self.state = None
        self.screen = None

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None):
        super().reset(seed=seed)
        low, high = -0.5, 0.5
        if options is not None and "low" in options:
            low = float(options["low"])
        self.state = self.np_random.uniform(low, high, size=2)
        self.elapsed = 0
        return np.array(self.state, dtype=np.float32), {}

    def step(self, action):
        assert self.action_space.contains(action), f"{action!r} ({type(action)}) invalid"
        x, v = self.state
        push = self.force if action == 1 else -self.force
        v = v + 0.02 * (push + self.np_random.normal(0.0, 1.0))
        x = x + 0.02 * v
        self.state = np.array([x, v])
        self.elapsed += 1
        terminated = bool(abs(x) > self.x_threshold)
        truncated = self.elapsed >= self._max_episode_steps
        reward = 0.0 if terminated else 1.0
        return np.array(self.state, dtype=np.float32), reward, terminated, truncated, {}

    def render(self):
        if self.render_mode is None:
            gym.logger.warn("render() without a render mode")
            return None
        frame = np.full((60, 200, 3), 255, dtype=np.uint8)
        column = int(np.clip((self.state[0] + 2.4) / 4.8 * 199, 0, 199))
        frame[40:50, max(0, column - 5) : column + 5] = (20, 60, 200)
        if self.render_mode == "human":
            import pygame

            if self.screen is None:
                pygame.init()
                self.screen = pygame.display.set_mode((200, 60))
            return None
        return frame

    def close(self):
        if self.screen is not None:
            import pygame

            pygame.quit()
            self.screen = None
