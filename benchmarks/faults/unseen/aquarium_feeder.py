import threading
import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Tank:
    def __init__(self):
        self.food = 0.0
        self.hunger = 0.5
        self.dirt = 0.0

    def live(self, pace=1.0):
        eaten = min(self.food, 0.03 * pace)
        self.food -= eaten
        self.hunger = min(max(self.hunger + 0.01 * pace - eaten, 0.0), 1.0)
        self.dirt = min(self.dirt + 0.02 * pace * self.food, 1.0)


def _swim(owner):
    while owner.running:
        owner.tank.live(0.05)
        time.sleep(0.0005)


class Env(gym.Env):
    """Feed the fish of a small tank and change the water when it gets dirty."""

    max_steps = 100

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.tank = Tank()
        self.t = 0
        self.running = True
        threading.Thread(target=_swim, args=(self,), daemon=True).start()

    def _obs(self):
        return np.clip(np.array([self.tank.food, self.tank.hunger, self.tank.dirt], np.float32), 0.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.tank = Tank()
        self.tank.hunger = float(self.np_random.uniform(0.3, 0.7))
        self.tank.dirt = float(self.np_random.uniform(0.0, 0.3))
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        if int(action) == 1:
            self.tank.food = min(self.tank.food + 0.15, 1.0)
        elif int(action) == 2:
            self.tank.dirt *= 0.3
        self.tank.live()
        self.t += 1
        cost = 0.1 if int(action) == 2 else 0.02 * (int(action) == 1)
        reward = 0.5 - self.tank.hunger - 0.5 * self.tank.dirt - cost
        return self._obs(), reward, False, self.t >= self.max_steps, {}

    def close(self):
        self.running = False
