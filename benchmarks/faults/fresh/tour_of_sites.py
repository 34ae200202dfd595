"""Visit every site once on a short way: always as many steps as there are sites, and then it is done."""

import math

import gymnasium as gym
import numpy as np


class TourOfSites(gym.Env):
    """Each step goes to a site; one visited before costs a fine and the nearest unvisited one is taken instead."""

    def __init__(self, sites: int = 8):
        self.sites = sites
        self.observation_space = gym.spaces.Box(low=0.0, high=1.0, shape=(3 * sites + 2,), dtype=np.float32)
        self.action_space = gym.spaces.Discrete(sites)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.places = self.np_random.random((self.sites, 2))
        self.visited = np.zeros(self.sites, dtype=bool)
        self.here = self.np_random.random(2)
        return self._observation(), {}

    def _observation(self):
        parts = [self.places.ravel(), self.visited.astype(float), self.here]
        return np.concatenate(parts).astype(np.float32)

    def step(self, action):
        site, fine = int(action), 0.0
        if self.visited[site]:
            fine = 0.2
            distances = np.linalg.norm(self.places - self.here, axis=1)
            site = int(np.argmin(np.where(self.visited, np.inf, distances)))
        way = math.dist(self.here, self.places[site])
        self.here = self.places[site].copy()
        self.visited[site] = True
        return self._observation(), -way - fine, bool(self.visited.all()), False, {}
