"""Draw or stop: a few steps an episode, seen as three small numbers, random in every way a generator offers."""

import gymnasium as gym
from gymnasium import spaces
import numpy as np

DECK = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


class CardsUntilOver(gym.Env):
    """Come as close to 21 as you dare."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 11, 2])
        self.action_space = spaces.Discrete(2)

    def _total(self, cards):
        total = sum(cards)
        return total + 10 if 1 in cards and total + 10 <= 21 else total

    def _obs(self):
        return np.array([self._total(self.hand), self.dealer[0], int(1 in self.hand)], dtype=np.int64)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        pack = self.np_random.permutation(np.repeat(DECK, 4)).tolist()
        self.hand, self.dealer, self.pack = [pack.pop(), pack.pop()], [pack.pop(), pack.pop()], pack
        return self._obs(), {}

    def step(self, action):
        if action:
            self.hand.append(self.pack.pop())
            if self._total(self.hand) > 21:
                return self._obs(), -1.0, True, False, {}
            return self._obs(), 0.0, False, False, {}
        while self._total(self.dealer) < 17:
            self.dealer.append(self.pack.pop())
        mine, theirs = self._total(self.hand), self._total(self.dealer)
        reward = 1.0 if theirs > 21 or mine > theirs else float(np.sign(mine - theirs))
        return self._obs(), reward, True, False, {"dealer": theirs}
