import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Turn a dial to the notch of the day and press; one press per safe."""

    notches = 20
    max_steps = 30

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(4)
        self.dial = 0
        self.notch = 0
        self.turned = 0
        self.t = 0

    def _obs(self):
        angle = 2 * np.pi * self.dial / self.notches
        return np.array([np.sin(angle), np.cos(angle), self.turned, 2 * self.t / self.max_steps - 1], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.dial = int(self.np_random.integers(self.notches))
        self.notch = int(self.np_random.integers(self.notches))
        self.turned = 0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        command = int(action)
        pressed = command == 3
        if not pressed:
            self.turned = command - 1
            self.dial = (self.dial + self.turned) % self.notches
        self.t += 1
        opened = pressed and self.dial == self.notch
        reward = -0.01
        if pressed:
            reward = 1.0 if opened else -0.3
        return self._obs(), reward, pressed, self.t >= self.max_steps and not pressed, {"opened": opened}
