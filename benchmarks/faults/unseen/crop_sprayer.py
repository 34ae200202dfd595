import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """A sprayer keeps pests down on six strips of a field through one season."""

    strips = 6
    days = 60

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.strips + 1,), np.float32)
        self.action_space = spaces.Discrete(self.strips + 1)
        self.pests = np.zeros(self.strips)
        self.tank = 1.0
        self.day = 0
        self.dawn = np.zeros(self.strips + 1, np.float32)

    def _look(self):
        return np.append(self.pests, self.tank).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pests = self.np_random.uniform(0.0, 0.4, self.strips)
        self.tank = 1.0
        self.day = 0
        self.dawn = self._look()
        return self.dawn.copy(), {}

    def step(self, action):
        strip = int(action)
        reward = 0.0
        if strip < self.strips and self.tank >= 0.02:
            self.pests[strip] *= 0.2
            self.tank -= 0.02
            reward -= 0.05
        elif strip == self.strips:
            self.tank = min(self.tank + 0.5, 1.0)
            reward -= 0.02
        growth = self.np_random.uniform(1.02, 1.15, self.strips)
        self.pests = np.clip(self.pests * growth + 0.01, 0.0, 1.0)
        self.day += 1
        reward += 0.5 - float(self.pests.mean())
        if self.day >= self.days:
            return self.dawn.copy(), reward, False, True, {"pests": float(self.pests.mean())}
        return self._look(), reward, False, False, {"pests": float(self.pests.mean())}
