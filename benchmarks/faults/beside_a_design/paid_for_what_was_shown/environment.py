"""A price that returns to its mean."""

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    """Sell, wait or buy where a price returns to its mean.

    ## Description
    One step is an hour.
    """

    def __init__(self, *, keep=0.6, fee=0.02):
        self._defaults = {"keep": keep, "fee": fee}
        self.params = dict(self._defaults)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.params = {**self._defaults, **(options or {}).get("parameters", {})}
        self.holding, self.clock, self.level, self.moves = 0, 0, 0.0, [0.0] * 4
        for _ in range(4):
            self._move()
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        before, shown = self.holding, self.moves[3]
        self.holding = int(action) - 1
        self._move()
        self.clock += 1
        earned = 100.0 * self.holding * shown
        fees = self.params["fee"] * abs(self.holding - before)
        return self._observation(), earned - fees, False, self.clock >= 60, self._info(earned, fees)

    def _move(self):
        now = self.params["keep"] * self.level + float(self.np_random.uniform(-0.02, 0.02))
        self.moves, self.level = [*self.moves[1:], now - self.level], now

    def _observation(self):
        return np.clip(np.array([*(20 * move for move in self.moves), self.holding], np.float32), -1.0, 1.0)

    def _info(self, earned, fees):
        return {
            "state": {"level": self.level, "moves": np.array(self.moves), "holding": self.holding},
            "reward_components": {"earned": earned, "fees": fees},
            "ending": None,
        }
