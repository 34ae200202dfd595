import gymnasium as gym
import numpy as np
from gymnasium import spaces

DECK = tuple(min(rank, 10) for rank in range(1, 14))


def best(cards):
    total = sum(cards)
    soft = 1 in cards and total + 10 <= 21
    return total + 10 * soft, int(soft)


class Env(gym.Env):
    """Twenty-one against a bank that draws to seventeen; the result is paid at the end only."""

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([32, 11, 2])
        self.action_space = spaces.Discrete(2)
        self.mine = []
        self.bank = []

    def _card(self):
        return int(self.np_random.choice(DECK))

    def _obs(self):
        total, soft = best(self.mine)
        return np.array([total, self.bank[0], soft], dtype=np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.mine = [self._card(), self._card()]
        self.bank = [self._card(), self._card()]
        return self._obs(), {}

    def step(self, action):
        if int(action) == 1:
            self.mine.append(self._card())
            bust = best(self.mine)[0] > 21
            return self._obs(), -1.0 if bust else 0.0, bust, False, {}
        while best(self.bank)[0] < 17:
            self.bank.append(self._card())
        me, other = best(self.mine)[0], best(self.bank)[0]
        if other > 21 or me > other:
            reward = 1.0
        else:
            reward = 0.0 if me == other else -1.0
        return self._obs(), reward, True, False, {"bank": other}
