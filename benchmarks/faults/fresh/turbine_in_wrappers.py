"""A turbine that puts itself together of a core and three wrappers."""

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import RescaleAction, TimeLimit


class _Core(gym.Env):
    """Pitch in degrees; the rotor breaks if it gets too fast."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(np.array([0, 0, 0], np.float32), np.array([2, 2, 1], np.float32))
        self.action_space = gym.spaces.Box(0.0, 30.0, (1,), np.float32)

    def _obs(self):
        return np.array([self.wind, self.speed, self.pitch / 30.0], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wind = float(self.np_random.uniform(0.5, 1.0))
        self.speed, self.pitch = 0.5, 0.0
        return self._obs(), {}

    def step(self, action):
        self.pitch += 0.3 * (float(action[0]) - self.pitch)
        self.wind = float(np.clip(self.wind + 0.05 * self.np_random.normal(), 0.2, 2.0))
        push = self.wind**2 * np.cos(np.deg2rad(3 * self.pitch))
        self.speed = float(np.clip(self.speed + 0.1 * (push - self.speed), 0.0, 2.0))
        broken = self.speed > 1.6
        power = 0.0 if broken else min(self.speed, 1.2) ** 3
        return self._obs(), power - (20.0 if broken else 0.0), broken, False, {"power": power}


class _Difference(gym.Wrapper):
    """Adds by how much the wind has changed."""

    def __init__(self, env):
        super().__init__(env)
        space = env.observation_space
        low, high = np.append(space.low, -2.0), np.append(space.high, 2.0)
        self.observation_space = gym.spaces.Box(low.astype(np.float32), high.astype(np.float32))
        self.before = 0.0

    def _with(self, obs):
        change = obs[0] - self.before
        self.before = obs[0]
        return np.append(obs, change).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        obs, info = self.env.reset(seed=seed, options=options)
        self.before = obs[0]
        return self._with(obs), info

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        return self._with(obs), reward, terminated, truncated, info


class Turbine(gym.Wrapper):
    def __init__(self, limit: int = 200):
        super().__init__(TimeLimit(_Difference(RescaleAction(_Core(), np.float32(-1.0), np.float32(1.0))), limit))
