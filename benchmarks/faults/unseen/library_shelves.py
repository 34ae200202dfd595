import json
import os
import tempfile

import gymnasium as gym
import numpy as np
from gymnasium import spaces

STORE = os.path.join(tempfile.gettempdir(), "library_shelves_env.json")


def load():
    with open(STORE) as handle:
        return json.load(handle)


def save(shelves, cart):
    with open(STORE, "w") as handle:
        json.dump({"shelves": shelves, "cart": cart}, handle)


class Env(gym.Env):
    """Put returned books on five shelves so that no shelf overflows."""

    shelves = 5
    room = 12
    books = 45

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.shelves + 1,), np.float32)
        self.action_space = spaces.Discrete(self.shelves)
        self.handled = 0

    def _obs(self):
        state = load()
        return np.array([*(n / self.room for n in state["shelves"]), state["cart"] / 3], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        filled = [int(n) for n in self.np_random.integers(0, 5, self.shelves)]
        save(filled, int(self.np_random.integers(1, 4)))
        self.handled = 0
        return self._obs(), {}

    def step(self, action):
        state = load()
        shelf = int(action)
        fits = state["shelves"][shelf] + state["cart"] <= self.room
        if fits:
            state["shelves"][shelf] += state["cart"]
        lent = int(self.np_random.integers(self.shelves))
        state["shelves"][lent] = max(state["shelves"][lent] - 2, 0)
        save(state["shelves"], int(self.np_random.integers(1, 4)))
        self.handled += 1
        reward = 0.2 * state["cart"] if fits else -0.5
        return self._obs(), reward, False, self.handled >= self.books, {"fits": fits}
