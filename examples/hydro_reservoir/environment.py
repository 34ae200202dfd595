"""A hydropower dam that sells its water at the right hours, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

BLOCKS = 6  # of four hours, a day


class Environment(gym.Env):
    """One dam, one turbine: earn as much as possible and leave the river its least flow.

    ## Description
    One step is four hours:

    1. The gate opens: a quarter of the turbine's ten units for each step of the action, at most what the dam holds.
    2. The power is sold at the block's mean price times the day's factor. A full dam gives most power a unit.
    3. Water flows in: 0.8 of the last inflow, a fifth of the mean of 4, and a random part between -0.8 and 0.8.
    4. What does not fit is spilled.
    5. The next block begins. After six a new day: tomorrow's prices are today's, and new ones are drawn for tomorrow.

    ## Observation Space
    A Dict of float32 boxes:

    | key | numbers |
    | --- | --- |
    | `water` | level in the dam and inflow, each from the middle of its range, in halves of it |
    | `market` | factor of today's and of tomorrow's prices, minus 1 |
    | `clock` | 1 for the coming block, 0 for the five others |

    ## Action Space
    `Discrete(5)`: quarters of the turbine's water.

    ## Rewards
    0.001 x (income - fines for the least flow - cost of a low level), in three components.

    ## Starting State
    Midnight, 40-60 units in the dam, an inflow of 2-6.

    ## Episode End
    Truncated after 60 days (360 steps); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the dam; `reset(options={"parameters": {...}})` replaces some for
    one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 360

    def __init__(
        self,
        *,
        capacity=100.0,
        turbine=10.0,
        base_price=(30.0, 25.0, 55.0, 50.0, 80.0, 45.0),
        swing=0.5,
        head=0.6,
        mean_inflow=4.0,
        persistence=0.8,
        inflow_noise=0.8,
        least_flow=1.0,
        fine=100.0,
        low_level=20.0,
        low_cost=2.0,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "capacity": capacity,
            "turbine": turbine,
            "base_price": base_price,
            "swing": swing,
            "head": head,
            "mean_inflow": mean_inflow,
            "persistence": persistence,
            "inflow_noise": inflow_noise,
            "least_flow": least_flow,
            "fine": fine,
            "low_level": low_level,
            "low_cost": low_cost,
        }
        self._use({})
        self.observation_space = gym.spaces.Dict(
            {
                "water": gym.spaces.Box(-1.0, 1.0, (2,), np.float32),
                "market": gym.spaces.Box(-0.5, 0.5, (2,), np.float32),
                "clock": gym.spaces.Box(0.0, 1.0, (BLOCKS,), np.float32),
            }
        )
        self.action_space = gym.spaces.Discrete(5)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.base_price = np.asarray(p.pop("base_price"), np.float64)
        for name, value in p.items():
            setattr(self, name, float(value))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.steps = self.block = 0
        self.level = float(self.np_random.uniform(40.0, 60.0))
        self.inflow = float(self.np_random.uniform(2.0, 6.0))
        self.today, self.tomorrow = self._new_factor(), self._new_factor()
        self.released = self.spilled = self.income = 0.0
        return self._observation(), self._info(0.0, 0.0, 0.0)

    def step(self, action):
        power = self.head + (1.0 - self.head) * self.level / self.capacity
        self.released = min(self.turbine * int(action) / 4.0, self.level)
        self.income = self.base_price[self.block] * self.today * self.released * power

        noise = self.np_random.uniform(-self.inflow_noise, self.inflow_noise)
        self.inflow = self.persistence * self.inflow + (1.0 - self.persistence) * self.mean_inflow + float(noise)
        self.inflow = max(self.inflow, 0.0)
        held = self.level - self.released + self.inflow
        self.level = min(held, self.capacity)
        self.spilled = max(held - self.capacity, 0.0)

        self.block = (self.block + 1) % BLOCKS
        if self.block == 0:
            self.today, self.tomorrow = self.tomorrow, self._new_factor()
        self.steps += 1

        fines = self.fine * max(self.least_flow - self.released - self.spilled, 0.0)
        boats = self.low_cost * max(self.low_level - self.level, 0.0)
        reward = 0.001 * (float(self.income) - fines - boats)
        truncated = self.steps >= self.STEP_LIMIT
        return self._observation(), reward, False, truncated, self._info(float(self.income), fines, boats)

    def _new_factor(self):
        return float(self.np_random.uniform(1.0 - self.swing, 1.0 + self.swing))

    def _observation(self):
        clock = np.zeros(BLOCKS, np.float32)
        clock[self.block] = 1.0
        water = np.array([self.level / 50.0 - 1.0, self.inflow / 4.0 - 1.0], np.float32)
        market = np.array([self.today - 1.0, self.tomorrow - 1.0], np.float32)
        return {"water": np.clip(water, -1.0, 1.0), "market": np.clip(market, -0.5, 0.5), "clock": clock}

    def _info(self, income, fines, boats):
        return {
            "state": {
                "level": self.level,
                "inflow": self.inflow,
                "block": self.block,
                "today": self.today,
                "tomorrow": self.tomorrow,
                "released": self.released,
                "spilled": self.spilled,
                "income": float(self.income),
            },
            "reward_components": {"income": income, "fines": fines, "boats": boats},
            "ending": None,
        }
