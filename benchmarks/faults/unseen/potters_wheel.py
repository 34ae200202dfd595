import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Shape clay on a wheel: press and speed must suit the width that is wanted."""

    max_steps = 70

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.width = 0.5
        self.spin = 0.0
        self.wet = 1.0
        self.wanted = 0.5
        self.t = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.width = float(self.np_random.uniform(0.6, 0.9))
        self.wanted = float(self.np_random.uniform(0.2, 0.5))
        self.spin = 0.0
        self.wet = float(self.np_random.uniform(0.6, 1.0))
        self.t = 0
        first = np.array([self.width, self.wanted, self.spin, self.wet], np.float32)
        return 2.0 * first - 1.0, {}

    def step(self, action):
        press, treadle = (float(a) for a in np.clip(action, -1.0, 1.0))
        self.spin = float(np.clip(self.spin + 0.2 * treadle, 0.0, 1.0))
        self.wet = float(np.clip(self.wet - 0.004 * self.spin, 0.0, 1.0))
        self.width = float(np.clip(self.width - 0.08 * press * self.spin * self.wet, 0.0, 1.0))
        self.t += 1
        miss = abs(self.width - self.wanted)
        reward = 0.5 - 2.0 * miss - 0.02 * abs(press)
        view = np.array([self.width, self.spin, self.wet, self.wanted], np.float32)
        return 2.0 * view - 1.0, reward, False, self.t >= self.max_steps, {"miss": miss}
