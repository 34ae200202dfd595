"""A trolley on a beam."""

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    """Push a crane's trolley along its beam to a mark.

    ## Description
    One step is a second.
    """

    def __init__(self, *, keep=0.8, force=0.4):
        self._defaults = {"keep": keep, "force": force}
        self.params = dict(self._defaults)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.params = {**self._defaults, **(options or {}).get("parameters", {})}
        self.place = float(self.np_random.uniform(-8, 8))
        self.mark = float(self.np_random.uniform(-8, 8))
        self.speed, self.clock = 0.0, 0
        return self._observation(), self._info(0.0, None)

    def step(self, action):
        p = self.params
        push = min(1.0, max(-1.0, float(action[0])))
        self.speed = min(2.0, max(-2.0, p["keep"] * self.speed + p["force"] * push))
        self.place = min(10.0, max(-10.0, self.place + self.speed))
        self.clock += 1
        distance = abs(self.place - self.mark)
        there = distance < 0.5
        reward = 0.05 * distance
        over = self.clock >= 80 and not there
        return self._observation(), reward, there, over, self._info(distance, "at_mark" if there else None)

    def _observation(self):
        return np.array([self.place / 10, self.speed / 2, self.mark / 10], np.float32)

    def _info(self, distance, ending):
        return {
            "state": {"place": self.place, "speed": self.speed, "mark": self.mark},
            "reward_components": {"distance": distance},
            "ending": ending,
        }
