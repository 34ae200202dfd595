"""A flagpole on a base that moves."""

import math

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    """Balance a flagpole by moving its base.

    ## Description
    One step is a fiftieth of a second.
    """

    def __init__(self, *, gravity=9.0, shove=6.0, most_lean=0.35):
        self._defaults = {"gravity": gravity, "shove": shove, "most_lean": most_lean}
        self.params = dict(self._defaults)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.params = {**self._defaults, **(options or {}).get("parameters", {})}
        self.lean, self.turning, self.clock = float(self.np_random.uniform(-0.08, 0.08)), 0.0, 0
        return self._observation(), self._info(0.0, None)

    def step(self, action):
        p = self.params
        shove = p["shove"] if int(action) == 1 else -p["shove"]
        self.turning += 0.02 * (p["gravity"] * math.sin(self.lean) + shove)
        self.lean += 0.02 * self.turning
        self.clock += 1
        fell = abs(self.lean) > p["most_lean"]
        paid = 1.0 if fell else 1.0 + abs(self.lean)
        over = self.clock >= 150 and not fell
        return self._observation(), -paid, fell, over, self._info(paid, "fell" if fell else None)

    def _observation(self):
        return np.clip(np.array([self.lean / 0.5, self.turning / 3], np.float32), -1.0, 1.0)

    def _info(self, paid, ending):
        return {
            "state": {"lean": self.lean, "turning": self.turning},
            "reward_components": {"cost": paid},
            "ending": ending,
        }
