"""An arm of two joints."""

import math

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    """Bring the tip of an arm to a mark.

    ## Description
    One step is a tenth of a second.
    """

    def __init__(self, *, keep=0.8, force=0.4):
        self._defaults = {"keep": keep, "force": force}
        self.params = dict(self._defaults)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (8,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.params = {**self._defaults, **(options or {}).get("parameters", {})}
        self.angles = self.np_random.uniform(-3.0, 3.0, 2)
        self.turning = np.zeros(2)
        direction, radius = self.np_random.uniform(-np.pi, np.pi), self.np_random.uniform(0.3, 0.9)
        self.mark = radius * np.array([math.cos(direction), math.sin(direction)])
        self.clock = 0
        return self._observation(), self._info(0.0, 0.0, None)

    def step(self, action):
        p, before = self.params, self._gap()
        push = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        self.turning = np.clip(p["keep"] * self.turning + p["force"] * push, -2.0, 2.0)
        self.angles = self.angles + 0.1 * self.turning
        self.clock += 1
        gap = self._gap()
        there = gap < 0.05
        nearer, bonus = gap - before, 1.0 if there else 0.0
        over = self.clock >= 100 and not there
        info = self._info(nearer, bonus, "at_mark" if there else None)
        return self._observation(), nearer + 5.0 * bonus, bool(there), over, info

    def _gap(self):
        first, second = self.angles[0], self.angles[0] + self.angles[1]
        tip = 0.5 * np.array([math.cos(first) + math.cos(second), math.sin(first) + math.sin(second)])
        return float(np.linalg.norm(tip - self.mark))

    def _observation(self):
        angles = [part for angle in self.angles for part in (math.sin(angle), math.cos(angle))]
        return np.array([*angles, *self.turning / 2, *self.mark], np.float32)

    def _info(self, nearer, bonus, ending):
        state = [*map(float, self.angles), *map(float, self.turning), *map(float, self.mark)]
        names = ("shoulder", "elbow", "shoulder_turn", "elbow_turn", "mark_x", "mark_y")
        return {
            "state": dict(zip(names, state, strict=True)),
            "reward_components": {"nearer": nearer, "there": bonus},
            "ending": ending,
        }
