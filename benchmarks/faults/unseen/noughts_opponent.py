import gymnasium as gym
import numpy as np
from gymnasium import spaces

LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])


class Env(gym.Env):
    """Noughts and crosses against a player who blocks when it sees a line and else plays at random."""

    def __init__(self):
        self.observation_space = spaces.Box(-1, 1, (9,), np.int8)
        self.action_space = spaces.Discrete(9)
        self.board = np.zeros(9, np.int8)
        self.fouls = 0

    def action_masks(self):
        return self.board == 0

    def _wins(self, who):
        return bool((self.board[LINES] == who).all(axis=1).any())

    def _reply(self):
        free = np.flatnonzero(self.board == 0)
        sums = self.board[LINES].sum(axis=1)
        for want in (-2, 2):
            for line in LINES[sums == want]:
                return int(next(k for k in line if self.board[k] == 0))
        return int(self.np_random.choice(free))

    def _give(self, reward, ended):
        info = {"action_mask": self.action_masks().astype(np.int8)}
        return self.board.copy(), reward, ended, self.fouls >= 20 and not ended, info

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = np.zeros(9, np.int8)
        self.fouls = 0
        if self.np_random.random() < 0.5:
            self.board[int(self.np_random.integers(9))] = -1
        return self.board.copy(), {"action_mask": self.action_masks().astype(np.int8)}

    def step(self, action):
        square = int(action)
        if self.board[square] != 0:
            self.fouls += 1
            return self._give(-0.1, False)
        self.board[square] = 1
        if self._wins(1):
            return self._give(1.0, True)
        if not (self.board == 0).any():
            return self._give(0.0, True)
        self.board[self._reply()] = -1
        if self._wins(-1):
            return self._give(-1.0, True)
        return self._give(0.0, not (self.board == 0).any())
