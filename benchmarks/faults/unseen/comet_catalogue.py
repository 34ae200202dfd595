import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Sky:
    """A patch of sky with one comet that drifts over it."""

    side = 64

    def __init__(self):
        self.plates = []

    def begin(self, rng):
        self.comet = rng.uniform(10, 50, 2)
        self.drift = rng.uniform(-0.4, 0.4, 2)
        self.rng = rng

    def advance(self):
        self.comet = np.clip(self.comet + self.drift, 0, self.side - 1)

    def expose(self, eye):
        r, c = np.mgrid[0 : self.side, 0 : self.side]
        glow = np.exp(-((r - self.comet[0]) ** 2 + (c - self.comet[1]) ** 2) / 20.0)
        plate = glow + 0.02 * self.rng.random((self.side, self.side))
        self.plates.append(plate)
        r0, c0 = eye
        return plate[max(r0 - 4, 0) : r0 + 5, max(c0 - 4, 0) : c0 + 5].mean()


class Env(gym.Env):
    """Keep the comet under a small telescope eye."""

    max_steps = 100

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.action_space = spaces.Discrete(5)
        self.sky = Sky()
        self.eye = np.array([32, 32])
        self.light = 0.0
        self.t = 0

    def _obs(self):
        raw = [*(self.eye / 32.0 - 1), *(self.sky.comet / 32.0 - 1), 2 * self.light - 1]
        return np.clip(np.array(raw, np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sky.begin(self.np_random)
        self.eye = np.array([32, 32])
        self.light = 0.0
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        turn = [(0, 0), (2, 0), (-2, 0), (0, 2), (0, -2)][int(action)]
        self.eye = np.clip(self.eye + np.array(turn), 0, 63)
        self.sky.advance()
        self.light = float(self.sky.expose(self.eye))
        self.t += 1
        return self._obs(), self.light, False, self.t >= self.max_steps, {}
