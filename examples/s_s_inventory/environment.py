"""A small store that orders one item each morning at a fixed cost, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One item, at most 20 units in stock, one order a day, at the lowest average cost.

    ## Description
    One step is one day:

    1. In the morning the store orders 0 to 10 units. They arrive at once; what doesn't fit is refused.
    2. Demand is Poisson with mean 4. What is there is sold, the rest of the demand is lost.
    3. The day is paid for: a fee for an order of any size, each unit left at night, each unit of lost demand.

    ## Observation Space
    `Box(0, 1, (22,), float32)`:

    | index | term |
    | --- | --- |
    | 0 | units in stock before the order, as a share of the room |
    | 1-21 | one-hot: 0, 1, ... 20 units in stock |

    ## Action Space
    `Discrete(11)`: order 0, 1, ... 10 units.

    ## Rewards
    -0.1 x the day's cost, in three components: holding, shortage and ordering.

    ## Starting State
    10 units in stock.

    ## Episode End
    Truncated after 60 days; it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the store; `reset(options={"parameters": {...}})` replaces some
    for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 60

    def __init__(
        self,
        *,
        capacity=20,
        start_stock=10,
        demand_mean=4,
        order_fee=3,
        holding_cost=1,
        lost_cost=8,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "capacity": capacity,
            "start_stock": start_stock,
            "demand_mean": demand_mean,
            "order_fee": order_fee,
            "holding_cost": holding_cost,
            "lost_cost": lost_cost,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(0.0, 1.0, (22,), np.float32)
        self.action_space = gym.spaces.Discrete(11)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.capacity, self.start_stock = int(p["capacity"]), int(p["start_stock"])
        self.demand_mean = float(p["demand_mean"])
        self.order_fee, self.holding_cost = float(p["order_fee"]), float(p["holding_cost"])
        self.lost_cost = float(p["lost_cost"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.day = 0
        self.stock = min(self.start_stock, self.capacity)
        self.ordered = self.received = self.demand = self.sold = self.lost = 0
        return self._observation(), self._info(0.0, 0.0, 0.0)

    def step(self, action):
        self.ordered = int(action)
        self.received = min(self.ordered, self.capacity - self.stock)
        on_shelf = self.stock + self.received

        self.demand = int(self.np_random.poisson(self.demand_mean))
        self.sold = min(on_shelf, self.demand)
        self.lost = self.demand - self.sold
        self.stock = on_shelf - self.sold
        self.day += 1

        holding = self.holding_cost * self.stock
        shortage = self.lost_cost * self.lost
        ordering = self.order_fee if self.ordered > 0 else 0.0
        reward = -0.1 * (holding + shortage + ordering)
        return self._observation(), reward, False, self.day >= self.STEP_LIMIT, self._info(holding, shortage, ordering)

    def _observation(self):
        seen = np.zeros(22, dtype=np.float32)
        seen[0] = min(1.0, self.stock / self.capacity)
        if self.stock <= 20:
            seen[1 + self.stock] = 1.0
        return seen

    def _info(self, holding, shortage, ordering):
        return {
            "state": {
                "stock": self.stock,
                "ordered": self.ordered,
                "received": self.received,
                "demand": self.demand,
                "sold": self.sold,
                "lost": self.lost,
            },
            "reward_components": {"holding": holding, "shortage": shortage, "ordering": ordering},
            "ending": None,
        }
