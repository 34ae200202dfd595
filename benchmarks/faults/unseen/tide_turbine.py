import gymnasium as gym
import numpy as np
from gymnasium import spaces


def tide_table(rng, hours):
    """Water level of a bay for the given number of hours, with weather on top."""
    phase = rng.uniform(0, 2 * np.pi)
    base = np.sin(2 * np.pi * np.arange(hours) / 12.4 + phase)
    np.random.seed(int(rng.integers(2**31)))
    weather = np.random.normal(0.0, 0.08, hours)
    return np.clip(base + weather, -1.4, 1.4)


class Env(gym.Env):
    """Open or shut the gates of a tidal lagoon to run its turbine."""

    hours = 72

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(2)
        self.sea = np.zeros(self.hours + 1)
        self.lagoon = 0.0
        self.was_open = 0
        self.t = 0

    def _obs(self):
        trend = self.sea[self.t] - self.sea[max(self.t - 1, 0)]
        view = np.array([self.sea[self.t] / 1.4, self.lagoon / 1.4, trend, 2 * self.was_open - 1], np.float32)
        return np.clip(view, -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sea = tide_table(self.np_random, self.hours + 1)
        self.lagoon = float(self.np_random.uniform(-0.5, 0.5))
        self.was_open = 0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        gates = int(action)
        head = float(self.sea[self.t] - self.lagoon)
        power = 0.0
        if gates:
            power = head * head
            self.lagoon += 0.35 * head
        wear = 0.05 if gates != self.was_open else 0.0
        self.was_open = gates
        self.t += 1
        return self._obs(), power - wear, False, self.t >= self.hours, {"power": power}
