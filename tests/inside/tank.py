"""A small environment with a design, for the tests of the checks: a water tank that serves two villages."""

from __future__ import annotations

from kit.contracts.design import EnvDesign

SOURCE = '''"""A water tank."""

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    """Serve two villages from one tank without letting it flood or run dry.

    ## Description
    One step is a day.
    """

    def __init__(self, *, capacity=100.0, portion=10.0, rain=14.0, shares=(0.5, 0.25), price=2.0, spill_cost=0.5):
        self._defaults = {
            "capacity": capacity, "portion": portion, "rain": rain, "shares": shares, "price": price,
            "spill_cost": spill_cost,
        }
        self.params = dict(self._defaults)
        self.observation_space = gymnasium.spaces.Box(
            np.array([0.0, -1.0, 0.0], np.float32), np.array([1.0, 1.0, 5.0], np.float32), dtype=np.float32
        )
        self.action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.params = {**self._defaults, **(options or {}).get("parameters", {})}
        self.level = float(self.np_random.uniform(40, 60))
        self.day = int(self.np_random.integers(0, 7))
        self.t = 0
        self.inflow = self.released = self.spilled = 0.0
        self.served = np.zeros(2)
        return self._observation(), self._info(0.0, 0.0, None)

    def action_masks(self):
        return self.params["portion"] * np.arange(4) <= self.level

    def step(self, action):
        p = self.params
        self.released = min(p["portion"] * int(action), self.level)
        self.inflow = float(self.np_random.uniform(0, 2 * p["rain"]))
        left = self.level - self.released
        self.spilled = max(0.0, left + self.inflow - p["capacity"])
        self.level = left + self.inflow - self.spilled
        self.served = self.released * np.array(p["shares"], dtype=np.float64)
        self.day = (self.day + 1) % 7
        self.t += 1
        sales = p["price"] * float(self.served.sum())
        spill = p["spill_cost"] * self.spilled
        ending = None
        if self.level >= p["capacity"]:
            ending = "flooded"
        elif self.level < 5.0:
            ending = "dry"
        terminated = ending is not None
        truncated = self.t >= 60 and not terminated
        reward = 0.1 * sales - 0.2 * spill
        return self._observation(), reward, terminated, truncated, self._info(sales, spill, ending)

    def _observation(self):
        terms = [self.level / self.params["capacity"], np.sin(2 * np.pi * self.day / 7), self.inflow / 10]
        return np.clip(np.array(terms, dtype=np.float32), [0.0, -1.0, 0.0], [1.0, 1.0, 5.0]).astype(np.float32)

    def _info(self, sales, spill, ending):
        return {
            "state": {
                "level": self.level, "day": self.day, "inflow": self.inflow, "released": self.released,
                "spilled": self.spilled, "served": self.served.copy(),
            },
            "reward_components": {"sales": sales, "spill": spill},
            "ending": ending,
        }
'''


def design() -> EnvDesign:
    """What SOURCE does, as a design."""
    return EnvDesign.model_validate(DESIGN)


def _parameter(name: str, *values: float, **more: object) -> dict[str, object]:
    shape = [len(values)] if len(values) > 1 else []
    return {"name": name, "meaning": name, "shape": shape, "values": values, "source": "ASSUMED", **more}


def _flow(name: str, high: float, **more: object) -> dict[str, object]:
    return {"name": name, "meaning": name, "low": 0, "high": high, "flow": True, **more}


DESIGN: dict[str, object] = {
    "name": "tank",
    "title": "Water tank",
    "summary": "Serve two villages from one tank.",
    "fit": {"verdict": "RL", "why": "decisions in sequence under uncertainty"},
    "parameters": [
        _parameter("capacity", 100.0, low=90.0, high=120.0),
        _parameter("portion", 10.0, low=8.0, high=12.0),
        _parameter("rain", 14.0, low=10.0, high=16.0),
        _parameter("shares", 0.5, 0.25),
        _parameter("price", 2.0, low=1.0, high=4.0),
        _parameter("spill_cost", 0.5, low=0.1, high=1.0),
    ],
    "state": [
        {"name": "level", "meaning": "water after the day", "low": 0, "high": 120},
        {"name": "day", "meaning": "day of the week", "kind": "WHOLE", "low": 0, "high": 6},
        _flow("inflow", 40),
        _flow("released", 36),
        _flow("spilled", 60),
        _flow("served", 36, shape=[2]),
    ],
    "definitions": [{"name": "wanted", "formula": "params.portion * action.release"}],
    "observation": [
        {"name": "level", "meaning": "how full", "low": 0, "high": 1, "formula": "state.level / params.capacity"},
        {
            "name": "phase",
            "meaning": "week",
            "low": -1,
            "high": 1,
            "formula": "sin(2 * 3.141592653589793 * state.day / 7)",
        },
        {"name": "inflow", "meaning": "rain", "low": 0, "high": 5, "formula": "state.inflow / 10"},
    ],
    "action": {
        "kind": "DISCRETE",
        "terms": [
            {"name": "release", "meaning": "portions", "choices": 4, "legal": "params.portion * choice <= state.level"}
        ],
        "illegal": "cut to what is there",
    },
    "dynamics": {
        "steps": ["release", "rain", "spill"],
        "step_unit": "day",
        "laws": [
            {"name": "released", "formula": "state.released == min(wanted, prev.level)"},
            {
                "name": "level",
                "formula": "state.level == prev.level - state.released + state.inflow - state.spilled",
            },
            {
                "name": "spilled",
                "formula": "state.spilled == max(0, prev.level - state.released + state.inflow - params.capacity)",
            },
            {"name": "served", "formula": "state.served == state.released * params.shares"},
            {"name": "day", "formula": "state.day == (prev.day + 1) % 7"},
        ],
        "invariants": [{"name": "served_less", "formula": "sum(state.served) <= state.released + 0.000001"}],
        "expected": [
            {"name": "rain", "formula": "state.inflow", "mean": "params.rain", "deviation": "params.rain / sqrt(3)"}
        ],
    },
    "reward": [
        {
            "name": "sales",
            "meaning": "income",
            "formula": "params.price * sum(state.served)",
            "weight": 0.1,
            "low": 0,
            "high": 150,
        },
        {
            "name": "spill",
            "meaning": "damage",
            "formula": "params.spill_cost * state.spilled",
            "weight": -0.2,
            "low": 0,
            "high": 60,
        },
    ],
    "episode": {
        "step_limit": 60,
        "start": "40-60 units",
        "endings": [
            {"name": "flooded", "formula": "state.level >= params.capacity", "success": False},
            {"name": "dry", "formula": "state.level < 5", "success": False},
        ],
    },
    "metrics": [
        {
            "name": "served",
            "meaning": "water served",
            "formula": "sum(state.served)",
            "aggregate": "SUM",
            "direction": "HIGHER",
        }
    ],
    "baselines": [
        {
            "name": "keep_half",
            "meaning": "release what is above half",
            "terms": [{"term": "release", "formula": "floor((obs.level - 0.5) * 10)"}],
        }
    ],
}
