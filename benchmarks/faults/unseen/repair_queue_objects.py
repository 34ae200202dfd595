from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import gymnasium as gym
import numpy as np
from gymnasium import spaces


@dataclass(order=True)
class Job:
    due: int
    number: int
    size: int = field(compare=False)


@dataclass
class Bench:
    job: Job | None = None
    left: int = 0

    def work(self):
        if self.job is None:
            return None
        self.left -= 1
        if self.left > 0:
            return None
        done, self.job = self.job, None
        return done


@dataclass
class Workshop:
    benches: list[Bench]
    waiting: list[Job] = field(default_factory=list)
    hour: int = 0
    made: int = 0


class Env(gym.Env):
    """Two benches in a bicycle workshop; pick the most urgent, the shortest, or let a bench stand."""

    hours = 120

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (5,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.shop = Workshop([Bench(), Bench()])

    def _obs(self):
        s = self.shop
        urgent = np.clip((s.waiting[0].due - s.hour) / 20, 0, 1) if s.waiting else 1.0
        short = min((j.size for j in s.waiting), default=0) / 8
        busy = [b.left / 8 for b in s.benches]
        return np.array([min(len(s.waiting), 10) / 10, urgent, short, *busy], np.float32)

    def _arrive(self):
        s = self.shop
        if self.np_random.random() < 0.4 and len(s.waiting) < 10:
            size = int(self.np_random.integers(1, 8))
            heapq.heappush(s.waiting, Job(s.hour + size + int(self.np_random.integers(2, 15)), s.made, size))
            s.made += 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.shop = Workshop([Bench(), Bench()])
        for _ in range(5):
            self._arrive()
        return self._obs(), {}

    def step(self, action):
        s = self.shop
        free = next((b for b in s.benches if b.job is None), None)
        if free is not None and s.waiting and int(action) > 0:
            job = s.waiting[0] if int(action) == 1 else min(s.waiting, key=lambda j: (j.size, j))
            s.waiting.remove(job)
            heapq.heapify(s.waiting)
            free.job, free.left = job, job.size
        s.hour += 1
        reward = 0.0
        for done in filter(None, [b.work() for b in s.benches]):
            reward += 0.2 * done.size if s.hour <= done.due else -0.1
        self._arrive()
        return self._obs(), reward, False, s.hour >= self.hours, {"waiting": len(s.waiting)}
