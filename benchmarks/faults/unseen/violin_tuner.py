import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Turn the peg of a violin string by small amounts until the string is in tune."""

    max_steps = 60

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.pitch = 440.0
        self.goal = 440.0
        self.t = 0

    def _obs(self):
        return np.clip(np.array([(self.pitch - 440) / 60, (self.goal - 440) / 60], np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.goal = float(self.np_random.uniform(425, 455))
        self.pitch = self.goal + float(self.np_random.uniform(8, 25)) * float(self.np_random.choice([-1, 1]))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        turn = float(np.clip(action[0], -1.0, 1.0))
        creep = float(self.np_random.normal(0.0, 0.02))
        self.pitch = float(np.clip(self.pitch + 4.0 * turn + creep, 380.0, 500.0))
        self.t += 1
        tuned = self.pitch == self.goal
        reward = 10.0 if tuned else -0.1
        return self._obs(), reward, tuned, self.t >= self.max_steps and not tuned, {"off": self.pitch - self.goal}
