import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Clear plates in a dining room: tables stand apart from each other at random spots."""

    room = 10.0
    tables = 5
    spacing = 3.55
    max_steps = 150

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (2 + 3 * self.tables,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.spots = np.zeros((self.tables, 2))
        self.dirty = np.ones(self.tables, bool)
        self.waiter = np.zeros(2)
        self.t = 0

    def _lay_out(self):
        spots = []
        while len(spots) < self.tables:
            spot = self.np_random.uniform(1.0, self.room - 1.0, 2)
            if all(np.linalg.norm(spot - other) >= self.spacing for other in spots):
                spots.append(spot)
        return np.array(spots)

    def _obs(self):
        flat = np.concatenate([self.waiter / self.room, (self.spots / self.room).ravel(), self.dirty])
        return flat.astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.spots = self._lay_out()
        self.dirty = np.ones(self.tables, bool)
        self.waiter = np.array([5.0, 0.5])
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        walk = np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        self.waiter = np.clip(self.waiter + 0.8 * walk, 0.0, self.room)
        near = (np.linalg.norm(self.spots - self.waiter, axis=1) < 1.0) & self.dirty
        self.dirty &= ~near
        self.t += 1
        clean = not self.dirty.any()
        reward = 1.0 * int(near.sum()) - 0.02
        return self._obs(), reward, clean, self.t >= self.max_steps and not clean, {}
