import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Ten frames of a simplified bowling game; choose aim and force for each ball."""

    frames = 10

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (13,), np.float32)
        self.action_space = spaces.MultiDiscrete([5, 3])
        self.pins = np.ones(10, np.float32)
        self.oil = 0.0
        self.frame = 0
        self.ball = 0

    def _obs(self):
        return np.concatenate([self.pins, [self.oil, self.frame / self.frames, float(self.ball)]]).astype(np.float32)

    def _info(self):
        return {"episode": {"frame": self.frame, "ball": self.ball, "standing": int(self.pins.sum())}}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pins = np.ones(10, np.float32)
        self.oil = float(self.np_random.uniform(0, 1))
        self.frame = self.ball = 0
        return self._obs(), self._info()

    def step(self, action):
        aim, force = int(action[0]), int(action[1])
        lane = np.array([3.5, 2.5, 4.5, 1.5, 2.9, 4.1, 5.5, 0.5, 3.3, 6.5]) - 3.5
        line = (aim - 2) * 0.8 + (self.oil - 0.5) * (force - 1)
        near = np.exp(-((lane - line) ** 2) / (0.6 + 0.5 * force))
        hit = self.np_random.random(10) < 0.9 * near
        fallen = int((hit & (self.pins > 0)).sum())
        self.pins[hit] = 0.0
        clear = not self.pins.any()
        reward = 0.1 * fallen + (0.5 if clear else 0.0)
        if clear or self.ball == 1:
            self.frame += 1
            self.ball = 0
            self.pins = np.ones(10, np.float32)
        else:
            self.ball = 1
        return self._obs(), reward, self.frame >= self.frames, False, self._info()
