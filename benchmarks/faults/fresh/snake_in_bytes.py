"""Snake on a small board of signed bytes: turning back is no move, going hungry cuts it short."""

from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces

TEMPLATE = np.zeros((8, 8), dtype=np.int8)
TEMPLATE[0, :] = TEMPLATE[-1, :] = TEMPLATE[:, 0] = TEMPLATE[:, -1] = -1
WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))


class SnakeInBytes(gym.Env):
    def __init__(self, hunger=60):
        self.hunger = hunger
        self.observation_space = spaces.Box(-1, 3, (8, 8), np.int8)
        self.action_space = spaces.Discrete(4)

    def _board(self):
        board = TEMPLATE.copy()
        for r, c in self.body:
            board[r, c] = 1
        board[self.body[0]] = 2
        if self.food is not None:
            board[self.food] = 3
        return board

    def _feed(self):
        free = [(r, c) for r in range(1, 7) for c in range(1, 7) if (r, c) not in self.body]
        self.food = free[int(self.np_random.integers(len(free)))] if free else None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        start = (int(self.np_random.integers(2, 6)), int(self.np_random.integers(3, 6)))
        self.body = deque([start, (start[0], start[1] - 1)])
        self.way = 1
        self.unfed = 0
        self._feed()
        return self._board(), {"length": 2}

    def step(self, action):
        if (int(action) - self.way) % 4 != 2:
            self.way = int(action)
        dr, dc = WAYS[self.way]
        head = (self.body[0][0] + dr, self.body[0][1] + dc)
        self.unfed += 1
        if TEMPLATE[head] == -1 or head in list(self.body)[:-1]:
            return self._board(), -1.0, True, False, {"length": len(self.body)}
        self.body.appendleft(head)
        reward = 0.0
        if head == self.food:
            reward, self.unfed = 1.0, 0
            self._feed()
        else:
            self.body.pop()
        won = self.food is None
        return self._board(), reward, won, self.unfed >= self.hunger and not won, {"length": len(self.body)}
