import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Environment(gym.Env):
    """Set six valves to a pattern that is wanted."""

    step_limit = 30

    def __init__(self):
        self.observation_space = spaces.MultiBinary(12)
        self.action_space = spaces.MultiBinary([3, 2])
        self.valves = np.zeros(6, np.int8)
        self.pattern = np.ones(6, np.int8)
        self.clock = 0

    def _obs(self):
        return np.concatenate([self.valves, self.pattern]).astype(np.int8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.valves = self.np_random.integers(0, 2, 6).astype(np.int8)
        self.pattern = self.valves.copy()
        while (self.pattern == self.valves).all():
            self.pattern = self.np_random.integers(0, 2, 6).astype(np.int8)
        self.clock = 0
        return self._obs(), {}

    def step(self, action):
        turned = np.asarray(action).reshape(6).astype(np.int8)
        self.valves = (self.valves + turned) % 2
        self.clock += 1
        amiss = int((self.valves != self.pattern).sum())
        matched = amiss == 0
        reward = 2.0 if matched else -0.1 * amiss
        return self._obs(), reward, matched, self.clock >= self.step_limit and not matched, {}
