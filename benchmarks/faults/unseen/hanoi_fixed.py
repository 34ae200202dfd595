import gymnasium as gym
import numpy as np
from gymnasium import spaces

DISCS = 3
MOVES = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))


class Env(gym.Env):
    """The tower of Hanoi with three discs: no chance anywhere."""

    max_steps = 60

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3] * DISCS)
        self.action_space = spaces.Discrete(len(MOVES))
        self.peg = [0] * DISCS
        self.t = 0

    def _obs(self):
        return np.array(self.peg, dtype=np.int64)

    def _top(self, peg):
        on = [d for d in range(DISCS) if self.peg[d] == peg]
        return on[0] if on else None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.peg = [0] * DISCS
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        source, target = MOVES[int(action)]
        disc, under = self._top(source), self._top(target)
        valid = disc is not None and (under is None or disc < under)
        if valid:
            self.peg[disc] = target
        self.t += 1
        solved = all(p == 2 for p in self.peg)
        reward = 1.0 if solved else (-0.01 if valid else -0.05)
        return self._obs(), reward, solved, self.t >= self.max_steps and not solved, {"valid": valid}
