"""Reach with an arm, seen as a Dict of parts of several kinds; close to the mark counts as there."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class RobotWithParts(gym.Env):
    def __init__(self, dense=True, horizon=100):
        self.dense, self.horizon = dense, horizon
        self.observation_space = spaces.Dict(
            joints=spaces.Box(-np.pi, np.pi, (2,), np.float32),
            speeds=spaces.Box(-2.0, 2.0, (2,), np.float32),
            mark=spaces.Box(-1.0, 1.0, (2,), np.float32),
            touching=spaces.Discrete(2),
        )
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._rng = None

    def _tip(self):
        a, b = self.q
        return 0.5 * np.array([np.cos(a) + np.cos(a + b), np.sin(a) + np.sin(a + b)])

    def _gap(self):
        return float(np.linalg.norm(self._tip() - self.mark))

    def _obs(self):
        return {
            "joints": self.q.astype(np.float32),
            "speeds": self.dq.astype(np.float32),
            "mark": self.mark.astype(np.float32),
            "touching": int(self._gap() < 0.1),
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-3.0, 3.0, 2)
        self.dq = np.zeros(2)
        angle, radius = self.np_random.uniform(-np.pi, np.pi), self.np_random.uniform(0.3, 0.9)
        self.mark = radius * np.array([np.cos(angle), np.sin(angle)])
        self.steps_taken = 0
        return self._obs(), {"gap": self._gap()}

    def step(self, action):
        before = self._gap()
        self.dq = np.clip(0.8 * self.dq + 0.4 * np.asarray(action, dtype=np.float64), -2.0, 2.0)
        self.q = (self.q + 0.1 * self.dq + np.pi) % (2 * np.pi) - np.pi
        self.steps_taken += 1
        gap = self._gap()
        there = gap < 0.05
        reward = (before - gap if self.dense else 0.0) + (5.0 if there else 0.0)
        return self._obs(), reward, there, self.steps_taken >= self.horizon and not there, {"gap": gap}
