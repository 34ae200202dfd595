import gymnasium as gym
import numpy as np
from gymnasium import spaces


def unit_box(*shape):
    return spaces.Box(-1.0, 1.0, shape, np.float32)


class Env(gym.Env):
    """Pilot a cutter to a ship in the roads, then bring both to the quay."""

    max_steps = 150

    def __init__(self):
        self.observation_space = spaces.Dict({"cutter": unit_box(2), "quay": unit_box(2), "ship": unit_box(2)})
        self.action_space = spaces.Discrete(5)
        self.cutter = np.zeros(2)
        self.quay = np.zeros(2)
        self.ship = np.zeros(2)
        self.boarded = False
        self.t = 0

    def _obs(self):
        view = {
            "cutter": (self.cutter / 6).astype(np.float32),
            "quay": (self.quay / 6).astype(np.float32),
        }
        if not self.boarded:
            view["ship"] = (self.ship / 6).astype(np.float32)
        return view

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cutter = self.np_random.integers(-2, 3, 2).astype(float)
        self.quay = np.array([6.0, float(self.np_random.integers(-6, 7))])
        self.ship = np.array([-6.0, float(self.np_random.integers(-6, 7))])
        self.boarded = False
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        course = np.array([(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)][int(action)], float)
        self.cutter = np.clip(self.cutter + course, -6.0, 6.0)
        reward = -0.02
        if not self.boarded and np.abs(self.cutter - self.ship).sum() <= 1.0:
            self.boarded = True
            reward += 1.0
        moored = self.boarded and bool((self.cutter == self.quay).all())
        if moored:
            reward += 2.0
        self.t += 1
        return self._obs(), reward, moored, self.t >= self.max_steps and not moored, {"boarded": self.boarded}
