import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A ground robot searches a collapsed building for the person; rubble is scattered anew each time."""

    side = 8
    rubble = 0.26
    max_steps = 120

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3 * self.side * self.side,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.blocked = np.zeros((self.side, self.side), bool)
        self.robot = (0, 0)
        self.person = (7, 7)
        self.t = 0

    def _obs(self):
        planes = np.zeros((3, self.side, self.side), np.float32)
        planes[0][self.robot] = 1.0
        planes[1][self.person] = 1.0
        planes[2] = self.blocked
        return planes.ravel()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.blocked = self.np_random.random((self.side, self.side)) < self.rubble
        corners = [(0, 0), (0, self.side - 1), (self.side - 1, 0), (self.side - 1, self.side - 1)]
        a, b = self.np_random.choice(4, 2, replace=False)
        self.robot, self.person = corners[a], corners[b]
        self.blocked[self.robot] = False
        self.blocked[self.person] = False
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        dr, dc = ((1, 0), (-1, 0), (0, 1), (0, -1))[int(action)]
        r, c = self.robot[0] + dr, self.robot[1] + dc
        free = 0 <= r < self.side and 0 <= c < self.side and not self.blocked[r, c]
        if free:
            self.robot = (r, c)
        self.t += 1
        saved = self.robot == self.person
        reward = 2.0 if saved else -0.01
        return self._obs(), reward, saved, self.t >= self.max_steps and not saved, {"moved": bool(free)}
