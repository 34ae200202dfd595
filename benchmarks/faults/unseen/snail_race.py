import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit


class Terrarium(gym.Env):
    """Moisture and warmth of a glass box in which a snail lives."""

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.MultiBinary(2)
        self.state = np.zeros(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(0.3, 0.7, 3)
        return self.state.astype(np.float32), {}

    def step(self, action):
        mist, lamp = int(action[0]), int(action[1])
        wet, warm, mood = self.state
        wet += 0.06 * mist - 0.02 - 0.02 * lamp
        warm += 0.05 * lamp - 0.02 - 0.01 * mist
        mood += 0.1 * (1.0 - 2 * abs(wet - 0.6) - 2 * abs(warm - 0.5)) - 0.03
        noise = self.np_random.normal(0, 0.005, 3)
        self.state = np.clip(np.array([wet, warm, mood]) + noise, 0.0, 1.0)
        return self.state.astype(np.float32), float(self.state[2]) - 0.5, False, False, {}


class Env(gym.Env):
    """Care for a snail for 80 hours; the hours are kept by a limiter around the terrarium."""

    def __init__(self):
        self.home = TimeLimit(Terrarium(), max_episode_steps=80)
        self.observation_space = self.home.observation_space
        self.action_space = self.home.action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.home.reset(seed=int(self.np_random.integers(2**31)))

    def step(self, action):
        box = self.home.unwrapped
        obs, reward, terminated, truncated, info = box.step(action)
        info["mood"] = float(box.state[2])
        return obs, reward, terminated, truncated, info

    def close(self):
        self.home.close()
