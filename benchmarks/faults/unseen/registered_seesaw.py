import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Hold a ball on a seesaw; the episode goes on until the ball rolls off.

    The registered version below is cut by the TimeLimit wrapper after 400 steps.
    """

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.ball = self.speed = self.tilt = 0.0

    def _obs(self):
        return np.clip(np.array([self.ball, self.speed, self.tilt / 0.3], np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball, self.speed = (float(x) for x in self.np_random.uniform(-0.1, 0.1, 2))
        self.tilt = 0.0
        return self._obs(), {}

    def step(self, action):
        self.tilt = float(np.clip(self.tilt + 0.06 * (int(action) - 1), -0.3, 0.3))
        gust = float(self.np_random.normal(0.0, 0.01))
        self.speed = float(np.clip(self.speed + 0.2 * np.sin(self.tilt) + gust, -1.0, 1.0))
        self.ball += 0.2 * self.speed
        off = abs(self.ball) > 1.0
        return self._obs(), 0.0 if off else 1.0, off, False, {}


if "SeesawBall-v0" not in gym.registry:
    gym.register(id="SeesawBall-v0", entry_point=Env, max_episode_steps=400)
