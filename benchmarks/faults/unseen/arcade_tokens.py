import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Spend cents on three arcade machines and finish the evening with a full purse."""

    max_steps = 150
    prices = np.array([25, 100, 400], dtype=np.int16)

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.purse = np.zeros(1, dtype=np.int16)
        self.odds = np.full(3, 0.5)
        self.t = 0

    def _obs(self):
        view = np.array([float(self.purse[0]) / 32768.0, *self.odds, self.t / self.max_steps], np.float32)
        return np.clip(view, -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.purse = np.array([20000], dtype=np.int16)
        self.odds = self.np_random.uniform(0.45, 0.65, 3)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        machine = int(action) - 1
        before = int(self.purse[0])
        if machine >= 0:
            stake = self.prices[machine : machine + 1]
            won = self.np_random.random() < self.odds[machine]
            if won:
                self.purse += stake * np.int16(2)
            else:
                self.purse -= stake
        self.odds = np.clip(self.odds + self.np_random.normal(0, 0.01, 3), 0.4, 0.7)
        self.t += 1
        broke = bool(self.purse[0] <= 0)
        reward = (int(self.purse[0]) - before) / 400.0
        return self._obs(), reward, broke, self.t >= self.max_steps and not broke, {"cents": int(self.purse[0])}
