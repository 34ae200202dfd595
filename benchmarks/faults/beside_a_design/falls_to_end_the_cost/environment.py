"""A cart on a track."""

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    """Keep a cart on its track.

    ## Description
    One step is a fiftieth of a second.
    """

    def __init__(self, *, force=8.0, edge=2.4):
        self._defaults = {"force": force, "edge": edge}
        self.params = dict(self._defaults)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.params = {**self._defaults, **(options or {}).get("parameters", {})}
        self.place, self.speed = (float(one) for one in self.np_random.uniform(-0.5, 0.5, 2))
        self.clock = 0
        return self._observation(), self._info(0.0, None)

    def step(self, action):
        p = self.params
        self.speed += 0.02 * (p["force"] if int(action) == 1 else -p["force"])
        self.place += 0.02 * self.speed
        self.clock += 1
        off = abs(self.place) > p["edge"]
        cost = 0.0 if off else 1.0
        over = self.clock >= 200 and not off
        return self._observation(), -cost, off, over, self._info(cost, "off" if off else None)

    def _observation(self):
        return np.clip(np.array([self.place / 4, self.speed / 10], np.float32), -1.0, 1.0)

    def _info(self, cost, ending):
        return {
            "state": {"place": self.place, "speed": self.speed},
            "reward_components": {"cost": cost},
            "ending": ending,
        }
