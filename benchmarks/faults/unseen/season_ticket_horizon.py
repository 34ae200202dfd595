import gymnasium as gym
import numpy as np
from gymnasium import spaces

CURVE = np.array([0.15, 0.35, 0.6, 0.85])
PRICE = np.array([1.6, 1.2, 0.8, 0.4])


class Env(gym.Env):
    """Sell the seats of one concert within thirty days; on the day of the concert it is over."""

    days = 30
    seats = 40

    def __init__(self):
        self.observation_space = spaces.Dict(
            {
                "left": spaces.Discrete(self.seats + 1, start=0),
                "day": spaces.Discrete(self.days + 1, start=0),
                "buzz": spaces.Box(0.0, 2.0, (1,), np.float32),
            }
        )
        self.action_space = spaces.Discrete(len(PRICE))
        self.left = self.seats
        self.day = 0
        self.buzz = 1.0

    def _obs(self):
        return {"left": self.left, "day": self.day, "buzz": np.array([self.buzz], np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = self.seats
        self.day = 0
        self.buzz = float(self.np_random.uniform(0.5, 1.5))
        return self._obs(), {}

    def step(self, action):
        price = float(PRICE[int(action)])
        interest = int(self.np_random.poisson(3.0 * self.buzz))
        buyers = int(self.np_random.binomial(interest, CURVE[int(action)]))
        sold = min(buyers, self.left)
        self.left -= sold
        self.day += 1
        self.buzz = float(np.clip(self.buzz + self.np_random.normal(0, 0.1), 0.0, 2.0))
        concert = self.day >= self.days
        return self._obs(), price * sold, concert or self.left == 0, False, {"sold": sold}
