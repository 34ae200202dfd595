import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Mixer:
    """Colours of the lamps by name."""

    palette = {}

    @classmethod
    def open(cls):
        for k, name in enumerate(("red", "amber", "green", "blue")):
            hue = 0.25 * k
            cls.palette.setdefault(name, np.array([abs(np.sin(3 * hue + p)) for p in (0.0, 1.0, 2.0)]))

    @classmethod
    def shut(cls):
        cls.palette.clear()

    @classmethod
    def colour(cls, name):
        return cls.palette[name]


class Env(gym.Env):
    """Blend four lamps so that the stage takes the colour that the script asks for."""

    lamps = ("red", "amber", "green", "blue")
    max_steps = 60

    def __init__(self):
        Mixer.open()
        self.observation_space = spaces.Box(0.0, 1.0, (7,), np.float32)
        self.action_space = spaces.MultiDiscrete([3] * 4)
        self.power = np.zeros(4)
        self.script = np.zeros(3)
        self.t = 0

    def _stage(self, power):
        mix = sum(p * Mixer.colour(n) for p, n in zip(power, self.lamps))
        return np.clip(mix / 2.5, 0.0, 1.0)

    def _obs(self):
        return np.concatenate([self.power, self.script]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.script = self._stage(self.np_random.choice(np.linspace(0, 1, 11), 4))
        self.power = np.full(4, 0.5)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        self.power = np.clip(self.power + 0.1 * (np.asarray(action) - 1), 0.0, 1.0)
        miss = float(np.abs(self._stage(self.power) - self.script).mean())
        self.t += 1
        return self._obs(), 0.5 - 2.0 * miss, False, self.t >= self.max_steps, {"miss": miss}

    def close(self):
        Mixer.shut()
