"""Staff a call centre: a config in a dataclass, a generator of its own, parts of three kinds, two choices at once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete


@dataclass(frozen=True)
class CentreConfig:
    lines: int = 6
    capacity: int = 20
    horizon: int = 64
    rates: tuple[float, ...] = field(default=(1.0, 3.0, 2.0, 0.5))


class CallCentre(gym.Env[dict[str, Any], np.ndarray]):
    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, config: CentreConfig | None = None, render_mode: str | None = None) -> None:
        self.config = config or CentreConfig()
        self.render_mode = render_mode
        self.rng = np.random.default_rng()
        self.observation_space = Dict(
            {
                "waiting": Box(0.0, 1.0, shape=(1,), dtype=np.float32),
                "busy": MultiBinary(self.config.lines),
                "quarter": Discrete(len(self.config.rates)),
                "lately": Box(0.0, 1.0, shape=(4,), dtype=np.float32),
            }
        )
        self.action_space = MultiDiscrete([self.config.lines + 1, 2])

    def _quarter(self) -> int:
        return self.t * len(self.config.rates) // (self.config.horizon + 1)

    def _observe(self) -> dict[str, Any]:
        share = self.waiting / self.config.capacity
        return {
            "waiting": np.array([share], dtype=np.float32),
            "busy": (self.left > 0).astype(np.int8),
            "quarter": self._quarter(),
            "lately": np.array(self.lately, dtype=np.float32),
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.t = 0
        self.waiting = int(self.rng.integers(0, 5))
        self.left = np.zeros(self.config.lines, dtype=np.int64)
        self.lately = deque([0.0] * 4, maxlen=4)
        return self._observe(), {"served": 0}

    def step(self, action: np.ndarray):
        staffed, overtime = int(action[0]), bool(action[1])
        free = [line for line in range(staffed) if self.left[line] == 0]
        served = min(len(free), self.waiting)
        for line in free[:served]:
            self.left[line] = int(self.rng.integers(1, 4)) - int(overtime)
        self.waiting -= served
        arrived = int(self.rng.poisson(self.config.rates[self._quarter()]))
        lost = max(0, self.waiting + arrived - self.config.capacity)
        self.waiting = min(self.config.capacity, self.waiting + arrived)
        self.left = np.maximum(self.left - 1, 0)
        self.lately.append(min(1.0, arrived / 10.0))
        self.t += 1
        cost = 0.05 * self.waiting + 0.1 * staffed + 0.2 * overtime + 1.0 * lost
        return self._observe(), float(served - cost), False, self.t >= self.config.horizon, {"served": served}

    def render(self):
        if self.render_mode == "ansi":
            return f"{self.waiting:2d} waiting, " + "".join("#" if left else "." for left in self.left)
        return None
