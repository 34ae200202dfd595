"""Environments without a design, good ones and the edits that spoil them, for the tests of the checks."""

from __future__ import annotations

from typing import Final

HEAD = """
import socket
import time

import gymnasium
import numpy as np
from gymnasium import spaces

"""

CRANE = (
    HEAD
    + '''
class Crane(gymnasium.Env):
    """Bring a swinging load over its mark."""

    max_steps = 60

    def __init__(self):
        self.observation_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _look(self):
        return np.array([self.x / 5, self.v / 2, self.mark / 5, 2 * self.t / 60 - 1], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.mark = (float(v) for v in self.np_random.uniform(-5, 5, 2))
        self.v = 0.0
        self.t = 0
        return self._look(), {}

    def step(self, action):
        self.v = float(np.clip(0.9 * self.v + 0.3 * float(action[0]), -2, 2))
        self.x = float(np.clip(self.x + self.v, -5, 5))
        self.t += 1
        gap = abs(self.x - self.mark)
        there = gap < 0.3 and abs(self.v) < 0.2
        reward = 10.0 if there else -0.1 * gap
        return self._look(), reward, there, self.t >= self.max_steps and not there, {"gap": gap}
'''
)

SORTER = (
    HEAD
    + '''
class Sorter(gymnasium.Env):
    """Send parcels down one of three chutes; each chute fills up."""

    horizon = 40

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = spaces.Discrete(3)

    def _look(self):
        return np.array([*(self.load / 20), self.parcel / 3], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.load = self.np_random.integers(0, 8, 3).astype(np.float64)
        self.parcel = int(self.np_random.integers(1, 4))
        self.t = 0
        return self._look(), {}

    def step(self, action):
        chute = int(action)
        self.load[chute] += self.parcel
        over = bool(self.load[chute] > 20)
        self.load = np.clip(self.load - self.np_random.integers(0, 2, 3), 0, 20)
        reward = -5.0 if over else 0.1 * self.parcel - 0.02 * float(self.load.max())
        self.parcel = int(self.np_random.integers(1, 4))
        self.t += 1
        return self._look(), reward, over, self.t >= self.horizon and not over, {}
'''
)

BALL = (
    HEAD.replace("import time", "import time\nfrom collections import deque")
    + '''
class Ball(gymnasium.Env):
    """Keep a ball in the middle of a row that is seen as four frames."""

    horizon = 50

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (32,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.row = np.zeros(8, np.float32)

    def _see(self):
        self.row[:] = 0.0
        self.row[round(self.x)] = 1.0
        self.frames.append(self.row.copy())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v, self.t = float(self.np_random.uniform(0, 7)), 0.0, 0
        self.frames = deque(maxlen=4)
        for _ in range(4):
            self._see()
        return np.concatenate(self.frames), {}

    def step(self, action):
        self.v = float(np.clip(self.v + 0.2 * (int(action) - 1) + 0.1 * self.np_random.normal(), -1, 1))
        self.x = float(np.clip(self.x + self.v, 0, 7))
        self.t += 1
        self._see()
        return np.concatenate(self.frames), -0.1 * abs(self.x - 3.5), False, self.t >= self.horizon, {}
'''
)

DOORS = (
    HEAD
    + '''
class Doors(gymnasium.Env):
    """Find the lit room among nine behind doors, some of which are shut."""

    limit = 40
    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self):
        self.observation_space = spaces.MultiDiscrete([3, 3, 3, 3])
        self.action_space = spaces.Discrete(4)

    def legal(self):
        to = [(self.at[0] + dr, self.at[1] + dc) for dr, dc in self.MOVES]
        return np.array([0 <= r < 3 and 0 <= c < 3 and (r, c) != (1, 1) for r, c in to])

    def action_masks(self):
        return self.legal()

    def _look(self):
        return np.array([*self.at, *self.lit], np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rooms = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
        self.at, self.lit = (rooms[i] for i in self.np_random.choice(8, 2, replace=False))
        self.t = 0
        return self._look(), {}

    def step(self, action):
        self.t += 1
        allowed = bool(self.legal()[int(action)])
        if allowed:
            self.at = tuple(a + d for a, d in zip(self.at, self.MOVES[int(action)]))
        there = self.at == self.lit
        reward = 1.0 if there else -0.02 if allowed else -0.1
        return self._look(), reward, there, self.t >= self.limit and not there, {}
'''
)

WIDE = CRANE.replace("Box(-1.0, 1.0, (4,)", "Box(-np.inf, np.inf, (4,)")
MARKED = CRANE.replace(
    "        self.v = float(", "        self.first = self.first if self.t else self._look()\n        self.v = float("
)

GOOD: Final = {"crane": CRANE, "sorter": SORTER, "ball": BALL, "doors": DOORS, "wide": WIDE}

# (source, old, new, the check that must speak)
FAULTS: Final = [
    (CRANE, "Box(-1.0, 1.0, (1,)", "Box(0.0, 30.0, (1,)", "space.action_scale"),
    (CRANE, "Box(-1.0, 1.0, (1,), np.float32)", "Tuple((spaces.Discrete(2), spaces.Discrete(2)))", "space.action"),
    (SORTER, "Discrete(3)", "Discrete(3, start=1)", "space.action"),
    (SORTER, "Box(0.0, 1.0, (4,), np.float32)", "Box(0.0, 1.0, (4,), np.float32),", "space.missing"),
    (CRANE, "-0.1 * gap", "np.float32(-0.1 * gap)", "reward.type"),
    (SORTER, "-5.0 if over", "None if over", "reward.type"),
    (SORTER, "over = bool(", "over = (", "flag.type"),  # a numpy.bool
    (CRANE, "self.x / 5, self.v", "self.x / 4, self.v", "observation.bounds"),
    (SORTER, "reward = -5.0", "reward = np.log(self.load[chute] - 20 + 0j).real if self.load[chute] == 20 else -5.0", "reward.finite"),  # noqa: E501
    (SORTER, "and not over, {}", "and not over, None", "info.type"),
    (CRANE, "return self._look(), reward", "return self.seen, reward", "step.raises"),
    (SORTER, "self.load = self.np_random.integers(0, 8, 3)", "self.load = np.random.randint(0, 8, 3)", "determinism.seed"),  # noqa: E501
    (SORTER, "self.parcel = int(self.np_random.integers(1, 4))\n        self.t = 0", "self.parcel = getattr(self, 'parcel', 1)\n        self.t = 0", "episode.history"),  # noqa: E501
    (SORTER, "self.t >= self.horizon and", "self.t >= self.horizon + 1 and", "episode.limit_attribute"),
    (SORTER, "reward, over, self.t >= self.horizon and not over", "reward, False, False", "episode.never_ends"),
    (SORTER, "chute = int(action)", "chute = self.t % 3", "action.ignored"),
    (SORTER, "chute = int(action)", "chute = action if isinstance(action, int) else 0", "action.types"),
    (CRANE, "self.v = float(np.clip(0.9 * self.v + 0.3 * float(action[0]), -2, 2))", "action *= 0.3; self.v = float(np.clip(0.9 * self.v + float(action[0]), -2, 2))", "action.mutated"),  # noqa: E501
    (SORTER, "reward = -5.0 if over else", "self.sum = getattr(self, 'sum', 0.0) * (self.t > 0) + 0.1; reward = self.sum if not over else", "reward.running_total"),  # noqa: E501
    (CRANE, "        return self._look(), reward", "        if there: self.reset()\n        return self._look(), reward", "episode.resets_itself"),  # noqa: E501
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        print(self.t, self.load)\n", "output.prints"),
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        open('sorter.log', 'a').write('x')\n", "io.writes"),
    (SORTER, "spaces.Discrete(3)\n", "spaces.Discrete(3)\n        self.draw = lambda: 1\n", "code.pickles"),
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        self.seen = [*getattr(self, 'seen', []), 1]\n", "memory.grows"),  # noqa: E501
    (SORTER, "    def step(self", "    def close(self):\n        self.window.stop()\n\n    def step(self", "close.raises"),  # noqa: E501
    (SORTER, "    horizon = 40\n", "    horizon = 40\n    metadata = {'render_modes': ['ansi']}\n", "render.returns"),
    (SORTER, "def __init__(self):\n", "metadata = {'render_modes': ['ansi']}\n\n    def render(self):\n        self.load += 1\n        return ''\n\n    def __init__(self, render_mode=None):\n", "render.changes"),  # noqa: E501
    (CRANE, "self.max_steps and not there,", "self.max_steps or there,", "episode.both_flags"),
    (CRANE, "10.0 if there else -0.1 * gap", "1.0 if there or self.t >= self.max_steps else 0.0", "reward.timeout_paid"),  # noqa: E501
    (CRANE, "10.0 if there else -0.1 * gap", "1.0 if there else 0.5 * (gap < 3.0)", "probe.loitering"),
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        time.sleep(0)\n", "io.sleeps"),
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        socket.socket().close()\n", "code.reaches_out"),
    (CRANE, "reward, there, self.t >= self.max_steps and not there,", "reward, False, self.t >= self.max_steps or there,", "episode.cut_short"),  # noqa: E501
    (SORTER, "chute = int(action)", "chute = int(action) % 2", "action.alike"),
    (SORTER, "-5.0 if over else 0.1 * self.parcel - 0.02 * float(self.load.max())", "0.0 if over else 0.0 * self.parcel", "life.reward"),  # noqa: E501
    (SORTER, "    def step(self", "    def action_masks(self):\n        return np.zeros(3, bool)\n\n    def step(self", "action.masks"),  # noqa: E501
    (SORTER, "    def step(self", "    def render(self):\n        self.load = 0.5 * self.load\n\n    def step(self", "render.changes"),  # noqa: E501
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        self.action_space = spaces.Discrete(2 + self.t % 2)\n", "space.changes"),  # noqa: E501
    (CRANE, "float(action[0])", "int(action[0])", "action.ignored"),
    (CRANE, "float(action[0])", "max(0.0, float(action[0]))", "action.half_dead"),
    (CRANE, "{\"gap\": gap}", "{\"episode\": self.t}", "info.reserved"),
    (CRANE, "return self._look(), {}", "return self._look()[[2, 0, 1, 3]], {}", "observation.order"),
    (MARKED, "return self._look(), reward, there, self.t >= self.max_steps and not there", "over = self.t >= self.max_steps and not there\n        return self.first if over else self._look(), reward, there, over", "episode.last_observation"),  # noqa: E501
    (CRANE, "    max_steps = 60\n", "    limits = {'steps': 60}\n\n    @property\n    def max_steps(self):\n        return self.limits['steps']\n\n    def close(self):\n        self.limits.clear()\n", "close.others"),  # noqa: E501
    (CRANE, "    max_steps = 60\n", "    max_steps = 60\n\n    def __deepcopy__(self, memo):\n        twin = object.__new__(type(self))\n        twin.__dict__ = self.__dict__\n        return twin\n", "code.copies_apart"),  # noqa: E501
    (WIDE, "self.v / 2,", "np.inf if self.t == 40 else self.v / 2,", "observation.bounds"),
    (BALL, "self.frames.append(self.row.copy())", "self.frames.append(self.row)", "observation.repeated"),
    (DOORS, "return self.legal()", "before, self.told = getattr(self, 'told', self.legal()), self.legal()\n        return before", "action.masks_late"),  # noqa: E501
    (CRANE, "self.t += 1", "self.t += int(action[0] > 0)", "episode.never_ends"),
    (SORTER, "def __init__(self):\n", "metadata = {'render_modes': ['rgb_array']}\n    frame = np.zeros((4, 4, 3), np.uint8)\n\n    def render(self):\n        self.frame[:] = self.t\n        return self.frame\n\n    def __init__(self, render_mode=None):\n", "render.returns"),  # noqa: E501
    (SORTER, "        self.t += 1\n", "        self.t += 1\n        self.grid = getattr(self, 'grid', 0) + 1\n        if self.grid > 10**6: self.load = self.load + 1\n", "episode.history"),  # noqa: E501
]  # fmt: skip
