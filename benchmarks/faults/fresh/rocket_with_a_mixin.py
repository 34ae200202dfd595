"""Land softly: an abstract base, a mixin, properties, and slots of plain floats."""

import abc
import math

import gymnasium as gym
import numpy as np


class Body:
    __slots__ = ("height", "speed", "fuel")

    def __init__(self, height, speed, fuel):
        self.height, self.speed, self.fuel = height, speed, fuel


class Lander(gym.Env, abc.ABC):
    @abc.abstractmethod
    def burn(self, action): ...


class Clocked:
    _ticks = 0

    @property
    def late(self):
        return self._ticks >= self.max_ticks


class RocketWithAMixin(Clocked, Lander):
    """Touch the ground at less than two metres a second."""

    def __init__(self, gravity=1.6, max_ticks=300):
        self.gravity, self.max_ticks = gravity, max_ticks
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def burn(self, action):
        wanted = (float(np.clip(action[0], -1, 1)) + 1) / 2
        return min(wanted, self.body.fuel)

    @property
    def _view(self):
        body = self.body
        scaled = [body.height / 100 - 1, body.speed / 40, body.fuel / 60 - 1]
        return np.clip(scaled, -1, 1).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._ticks = 0
        self.body = Body(self.np_random.uniform(80, 120), self.np_random.uniform(-5, 0), 100.0)
        return self._view, {}

    def step(self, action):
        body = self.body
        thrust = self.burn(action)
        body.fuel = max(body.fuel - thrust, 0.0)
        body.speed = min(max(body.speed + 0.5 * (4.0 * thrust - self.gravity), -40), 40)
        body.height = min(max(body.height + 0.5 * body.speed, 0.0), 200.0)
        self._ticks += 1
        landed = body.height <= 0.0
        reward = -0.1 * thrust
        if landed:
            reward += 20.0 if abs(body.speed) < 2.0 else -math.log1p(abs(body.speed)) * 4
        return self._view, reward, landed, self.late and not landed, {"fuel": body.fuel}
