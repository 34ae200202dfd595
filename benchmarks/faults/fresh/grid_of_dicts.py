"""Walk to a target on a grid: a Dict of whole-number boxes, paid only at the target, no limit of its own."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from enum import Enum


class Actions(Enum):
    right = 0
    up = 1
    left = 2
    down = 3


class GridOfDicts(gym.Env):
    """Reach the target square."""

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}

    def __init__(self, render_mode=None, size=5):
        self.size = size
        self.window_size = 64
        self.observation_space = spaces.Dict(
            {
                "agent": spaces.Box(0, size - 1, shape=(2,), dtype=int),
                "target": spaces.Box(0, size - 1, shape=(2,), dtype=int),
            }
        )
        self.action_space = spaces.Discrete(4)
        self._action_to_direction = {
            Actions.right.value: np.array([1, 0]),
            Actions.up.value: np.array([0, 1]),
            Actions.left.value: np.array([-1, 0]),
            Actions.down.value: np.array([0, -1]),
        }
        self.render_mode = render_mode

    def _get_obs(self):
        return {"agent": self._agent_location.copy(), "target": self._target_location.copy()}

    def _get_info(self):
        return {"distance": np.linalg.norm(self._agent_location - self._target_location, ord=1)}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self._agent_location = self.np_random.integers(0, self.size, size=2, dtype=int)
        self._target_location = self._agent_location
        while np.array_equal(self._target_location, self._agent_location):
            self._target_location = self.np_random.integers(0, self.size, size=2, dtype=int)
        return self._get_obs(), self._get_info()

    def step(self, action):
        direction = self._action_to_direction[int(action)]
        self._agent_location = np.clip(self._agent_location + direction, 0, self.size - 1)
        terminated = np.array_equal(self._agent_location, self._target_location)
        reward = 1 if terminated else 0
        return self._get_obs(), reward, terminated, False, self._get_info()

    def render(self):
        if self.render_mode == "ansi":
            rows = [["." for _ in range(self.size)] for _ in range(self.size)]
            rows[self._target_location[1]][self._target_location[0]] = "T"
            rows[self._agent_location[1]][self._agent_location[0]] = "A"
            return "\n".join("".join(row) for row in rows)
        if self.render_mode == "rgb_array":
            cell = self.window_size // self.size
            frame = np.zeros((cell * self.size, cell * self.size, 3), dtype=np.uint8)
            for place, colour in ((self._target_location, (255, 0, 0)), (self._agent_location, (0, 0, 255))):
                x, y = place * cell
                frame[y : y + cell, x : x + cell] = colour
            return frame


if __name__ == "__main__":
    import random

    env = GridOfDicts(render_mode="ansi")
    env.reset(seed=random.randint(0, 10))
    for _ in range(20):
        env.step(env.action_space.sample())
        print(env.render())
