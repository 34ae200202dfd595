"""Which advertisement to show whom: one choice an episode, as in a contextual bandit."""

import gymnasium as gym
import numpy as np

TASTES = np.random.RandomState(7).normal(size=(5, 4))


class AdvertOfOneStep(gym.Env):
    """See a visitor, show one of five advertisements, learn whether it was clicked."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.visitor = self.np_random.normal(size=4).clip(-5, 5)
        return self.visitor.astype(np.float32), {}

    def step(self, action):
        chance = 1 / (1 + np.exp(-TASTES[int(action)] @ self.visitor))
        clicked = self.np_random.random() < chance
        return self.visitor.astype(np.float32), float(clicked), True, False, {}
