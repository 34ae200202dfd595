"""Inventory: a product that keeps for four days, a cost that moves, customers who take the freshest first.

Six observations, Discrete(21), 100 steps. The goods ordered in the evening are there in the morning.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np

LIMIT, LIFE, MOST = 100, 4, 20
PRICE, FEE, LOST, WASTE = 0.45, 0.3, 0.15, 0.1
COST, SWING = 0.2, 0.08  # of a unit: its mean, and what it moves by
MEANS = np.array([3.0, 3.0, 4.0, 5.0, 9.0, 10.0, 6.0])  # of demand, by the day of the week
ANGLES = 2 * np.pi * np.arange(7) / 7
SIN, COS = np.sin(ANGLES), np.cos(ANGLES)

ALGORITHM = "PPO"
DISCOUNT = 0.97


class Environment(gym.Env):
    """The scalar one: what a user would write."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-5, 5, (6,), np.float32)
        self.action_space = gym.spaces.Discrete(MOST + 1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.day = int(self.np_random.integers(0, 7))
        self.last = self.day + LIMIT
        self.left = [float(self.np_random.integers(0, 6)) for _ in range(LIFE - 1)]  # by days left, oldest first
        self.cheap = float(self.np_random.uniform(-1.0, 1.0))
        return self._observation(), {}

    def step(self, action):
        shelf = [*self.left, float(action)]
        paid = (COST - SWING * self.cheap) * shelf[-1] + (FEE if action > 0 else 0.0)
        demand = wanted = float(self.np_random.poisson(MEANS[self.day % 7]))
        for age in reversed(range(LIFE)):
            sold = min(wanted, shelf[age])
            shelf[age] -= sold
            wanted -= sold
        reward = PRICE * (demand - wanted) - LOST * wanted - WASTE * shelf[0] - paid
        self.left = shelf[1:]
        self.cheap = 0.8 * self.cheap + 0.6 * float(self.np_random.uniform(-1.0, 1.0))
        self.day += 1
        return self._observation(), reward, False, self.day >= self.last, {}

    def _observation(self):
        weekday = self.day % 7
        return np.array([*(left / 10 for left in self.left), SIN[weekday], COS[weekday], self.cheap], np.float32)


class BatchedEnvironment:
    """Its twin: the same over copies."""

    def __init__(self, copies):
        self.day, self.last = np.zeros((2, copies), np.int64)
        self.left = np.zeros((LIFE - 1, copies))
        self.cheap = np.zeros(copies)

    def reset(self, rows, random):
        self.day[rows] = random.integers(0, 7, rows=rows)
        self.last[rows] = self.day[rows] + LIMIT
        for age in range(LIFE - 1):
            self.left[age, rows] = random.integers(0, 6, rows=rows)
        self.cheap[rows] = random.uniform(-1.0, 1.0, rows=rows)

    def step(self, actions, random):
        shelf = np.concatenate([self.left, actions[None].astype(np.float64)])
        paid = (COST - SWING * self.cheap) * shelf[-1] + np.where(actions > 0, FEE, 0.0)
        demand = random.poisson(MEANS[self.day % 7]).astype(np.float64)
        wanted = demand.copy()
        for age in reversed(range(LIFE)):
            sold = np.minimum(wanted, shelf[age])
            shelf[age] -= sold
            wanted -= sold
        rewards = PRICE * (demand - wanted) - LOST * wanted - WASTE * shelf[0] - paid
        self.left = shelf[1:]
        self.cheap = 0.8 * self.cheap + 0.6 * random.uniform(-1.0, 1.0)
        self.day += 1
        return rewards, np.zeros(len(rewards), bool), self.day >= self.last

    def observe(self):
        weekday = self.day % 7
        return np.stack([*(self.left / 10), SIN[weekday], COS[weekday], self.cheap], axis=1).astype(np.float32)


CONSTANTS = {"cover": (0.5, 3.0), "spare": (-5.0, 10.0)}

TUNED = {"cover": 1.48, "spare": 0.1}  # by a search among 400 with 200-400 episodes each; 94.33 +- 0.16 on 4000 others


def rule(observations, cover, spare):
    """Base stock: every evening up to `cover` times the next two days' mean demand, and some to spare."""
    weekday = np.round(np.arctan2(observations[:, 3], observations[:, 4]) * 7 / (2 * np.pi)).astype(int) % 7
    expected = (MEANS[weekday] + MEANS[(weekday + 1) % 7]) / 2
    stock = 10 * observations[:, :3].sum(axis=1)
    return np.clip(np.round(cover * expected + spare - stock), 0, MOST).astype(np.int64)
