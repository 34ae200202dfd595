import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Calm a chain of four masses on springs by pushing the first one."""

    masses = 4
    dt = 0.1
    stiff = 18.0
    max_steps = 400

    def __init__(self):
        size = 2 * self.masses
        self.observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.x = np.zeros(self.masses)
        self.v = np.zeros(self.masses)
        self.t = 0

    def _obs(self):
        return np.concatenate([self.x, self.v]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-0.5, 0.5, self.masses)
        self.v = np.zeros(self.masses)
        self.t = 0
        return self._obs(), {}

    def _force(self, push):
        padded = np.concatenate([[0.0], self.x, [0.0]])
        pull = self.stiff * (padded[:-2] - 2 * padded[1:-1] + padded[2:])
        pull -= 0.05 * self.v
        pull[0] += 5.0 * push
        return pull

    def step(self, action):
        push = float(np.clip(action[0], -1.0, 1.0))
        force = self._force(push)
        x_next = self.x + self.dt * self.v
        self.v = self.v + self.dt * force
        self.x = x_next
        self.t += 1
        unrest = float(np.mean(np.abs(self.x)))
        reward = 1.0 / (1.0 + unrest) - 0.05 * abs(push)
        return self._obs(), reward, False, self.t >= self.max_steps, {}
