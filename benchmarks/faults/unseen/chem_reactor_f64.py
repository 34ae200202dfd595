import copy
import math
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Run a batch reactor; the space says float64 and float64 is what comes back."""

    max_steps = 100
    memory = 5

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3 + self.memory,), np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.heat = 0.3
        self.feed, self.made = 1.0, 0.0
        self.recent = deque(maxlen=self.memory)
        self.scratch = None
        self.t = 0

    def __getstate__(self):
        kept = self.__dict__.copy()
        kept["scratch"] = None
        return kept

    def __deepcopy__(self, memo):
        twin = self.__class__.__new__(self.__class__)
        memo[id(self)] = twin
        twin.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__getstate__().items()})
        return twin

    def _rates(self):
        if self.scratch is None:
            self.scratch = tuple(math.exp(6.0 * (k / 200 - 1.0)) for k in range(201))
        return self.scratch

    def _obs(self):
        return np.array([self.heat, self.feed, self.made, *self.recent], dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.heat = float(self.np_random.uniform(0.2, 0.4))
        self.feed, self.made = 1.0, 0.0
        self.recent = deque([self.heat] * self.memory, maxlen=self.memory)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        power = float(np.clip(action[0], -1.0, 1.0))
        rate = self._rates()[round(200 * self.heat)]
        turned = min(self.feed, 0.3 * rate * self.feed)
        self.heat = min(max(self.heat + 0.05 * power + 0.4 * turned - 0.02, 0.0), 1.0)
        self.feed -= turned
        spoiled = 0.05 * self.made * max(self.heat - 0.8, 0.0)
        before = self.made
        self.made = min(max(self.made + turned - spoiled, 0.0), 1.0)
        self.recent.append(self.heat)
        self.t += 1
        reward = 10.0 * (self.made - before) - 0.01 * abs(power)
        return self._obs(), reward, False, self.t >= self.max_steps, {"made": self.made}
