"""A shop that orders one product once a day for a year, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One product, at most 100 units in stock, one order a day in tens, at the lowest total cost.

    ## Description
    One step is one day:

    1. In the evening the shop orders; the goods stand on the shelf before it opens. What doesn't fit is not delivered.
    2. Demand is the day's forecast plus a whole number between -5 and 5, all equally likely.
    3. What is in stock is sold; the rest of the demand is lost.
    4. The day is paid for: holding for each unit left, a penalty for each unit of lost demand, the order.
    5. The forecast moves on by a day, and the day after tomorrow's successor comes into view.

    There is a forecast for each day, drawn anew in every episode, equally likely between 10 and 40; the shop sees
    those of the next three days.

    ## Observation Space
    `Box([-2, -2, 0, -1, -1, -1], [5, 2, 2, 1, 1, 1], (6,), float32)`:

    | index | term | scale |
    | --- | --- | --- |
    | 0 | stock minus the forecast of the coming day | 20 units |
    | 1 | stock minus the forecasts of the next two days | 40 units |
    | 2 | stock in the evening, before the order | 50 units |
    | 3-5 | forecasts of the next three days, from 25 | 15 units |

    ## Action Space
    `Discrete(11)`: order 0, 10, ... 100 units.

    ## Rewards
    -0.1 x the day's cost, in three components: holding, shortage and ordering.

    ## Starting State
    20-60 units in stock and three forecasts.

    ## Episode End
    Truncated after 365 days; it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the shop; `reset(options={"parameters": {...}})` replaces some
    for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 365

    def __init__(
        self,
        *,
        capacity=100,
        order_size=10,
        forecast_low=10,
        forecast_high=40,
        spread=5,
        holding_cost=0.1,
        shortage_cost=5,
        order_fee=2,
        unit_fee=0.05,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "capacity": capacity,
            "order_size": order_size,
            "forecast_low": forecast_low,
            "forecast_high": forecast_high,
            "spread": spread,
            "holding_cost": holding_cost,
            "shortage_cost": shortage_cost,
            "order_fee": order_fee,
            "unit_fee": unit_fee,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(
            np.array([-2, -2, 0, -1, -1, -1], np.float32), np.array([5, 2, 2, 1, 1, 1], np.float32), dtype=np.float32
        )
        self.action_space = gym.spaces.Discrete(11)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.capacity, self.order_size = int(p["capacity"]), int(p["order_size"])
        self.forecast_low, self.forecast_high = int(p["forecast_low"]), int(p["forecast_high"])
        self.spread = int(p["spread"])
        self.holding_cost, self.shortage_cost = float(p["holding_cost"]), float(p["shortage_cost"])
        self.order_fee, self.unit_fee = float(p["order_fee"]), float(p["unit_fee"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.day = 0
        self.stock = int(self.np_random.integers(20, 61))
        self.forecast = [self._new_forecast() for _ in range(3)]
        self.ordered = self.received = self.demand = self.sold = self.lost = 0
        return self._observation(), self._info(0.0, 0.0, 0.0)

    def step(self, action):
        self.ordered = self.order_size * int(action)
        self.received = min(self.ordered, self.capacity - self.stock)
        on_shelf = self.stock + self.received

        self.demand = self.forecast[0] + int(self.np_random.integers(-self.spread, self.spread + 1))
        self.sold = min(on_shelf, self.demand)
        self.lost = self.demand - self.sold
        self.stock = on_shelf - self.sold

        self.forecast = [self.forecast[1], self.forecast[2], self._new_forecast()]
        self.day += 1

        holding = self.holding_cost * self.stock
        shortage = self.shortage_cost * self.lost
        ordering = (self.order_fee if self.ordered > 0 else 0.0) + self.unit_fee * self.received
        reward = -0.1 * (holding + shortage + ordering)
        return self._observation(), reward, False, self.day >= self.STEP_LIMIT, self._info(holding, shortage, ordering)

    def _new_forecast(self):
        return int(self.np_random.integers(self.forecast_low, self.forecast_high + 1))

    def _observation(self):
        today, tomorrow, after = self.forecast
        margins = [(self.stock - today) / 20, (self.stock - today - tomorrow) / 40, self.stock / 50]
        forecasts = [(today - 25) / 15, (tomorrow - 25) / 15, (after - 25) / 15]
        return np.array(margins + forecasts, dtype=np.float32)

    def _info(self, holding, shortage, ordering):
        return {
            "state": {
                "stock": self.stock,
                "forecast": np.array(self.forecast, dtype=np.int64),
                "ordered": self.ordered,
                "received": self.received,
                "demand": self.demand,
                "sold": self.sold,
                "lost": self.lost,
            },
            "reward_components": {"holding": holding, "shortage": shortage, "ordering": ordering},
            "ending": None,
        }
