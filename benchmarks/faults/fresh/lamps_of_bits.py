"""Turn lamps on where people are: bits seen and bits done, a lookup table of methods, whole-number rewards."""

import gymnasium
from gymnasium.spaces import MultiBinary


class LampsOfBits(gymnasium.Env):
    LAMPS = 6

    def __init__(self):
        self.observation_space = MultiBinary(self.LAMPS)
        self.action_space = MultiBinary(self.LAMPS)
        self.people = None
        self.minute = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.people = self.np_random.integers(0, 2, self.LAMPS, dtype="int8")
        self.minute = 0
        return self.people.copy(), {}

    def step(self, action):
        wrong = int((action != self.people).sum())
        moving = self.np_random.random(self.LAMPS) < 0.2
        self.people = (self.people ^ moving).astype("int8")
        self.minute += 1
        return self.people.copy(), -wrong, False, self.minute == 60, {"wrong": wrong}
