from dataclasses import dataclass, replace

import gymnasium as gym
import numpy as np
from gymnasium import spaces


@dataclass(frozen=True)
class Craft:
    radius: float
    sink: float
    fuel: float
    tick: int = 0


def advance(craft, thrust, drag):
    used = min(abs(thrust) * 0.01, craft.fuel)
    push = 0.0 if craft.fuel <= 0.0 else thrust
    sink = 0.95 * craft.sink + 0.01 * push - drag
    radius = craft.radius + sink
    return replace(craft, radius=radius, sink=sink, fuel=craft.fuel - used, tick=craft.tick + 1)


class Env(gym.Env):
    """Keep a small craft near its orbit while thin air drags on it."""

    ticks = 150

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.craft = Craft(1.0, 0.0, 1.0)

    def _obs(self):
        c = self.craft
        return np.clip(np.array([2 * (c.radius - 1.0), 10 * c.sink, 2 * c.fuel - 1], np.float32), -1.0, 1.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        start = float(self.np_random.uniform(0.9, 1.1))
        self.craft = Craft(start, 0.0, 1.0)
        return self._obs(), {}

    def step(self, action):
        thrust = float(np.clip(action[0], -1.0, 1.0))
        drag = 0.0015 * float(self.np_random.uniform(0.5, 1.5))
        self.craft = advance(self.craft, thrust, drag)
        off = abs(self.craft.radius - 1.0)
        lost = off > 0.45
        reward = -5.0 if lost else 1.0 - 2.0 * off
        return self._obs(), reward, lost, self.craft.tick >= self.ticks and not lost, {}
