"""A home battery traded against hourly prices, as a Gymnasium environment."""

import math

import gymnasium as gym
import numpy as np

PRICE_SHAPE = (
    *(0.16, 0.15, 0.14, 0.14, 0.15, 0.18, 0.26, 0.34, 0.36, 0.30, 0.24, 0.21),
    *(0.19, 0.18, 0.18, 0.20, 0.25, 0.33, 0.40, 0.41, 0.35, 0.28, 0.22, 0.18),
)


class Environment(gym.Env):
    """Buy and sell electricity for a week without wearing the battery out.

    ## Description
    One step is an hour. The action's share of full power is bought or sold as far as room or charge allow; half of the
    losses occur on each way. The next hour's price is the usual one and a deviation that fades and gets normal shocks.

    ## Observation Space
    `Box(16,)`: charge (share), price (from 0.25, in 0.15 EUR/kWh), sine and cosine of the hour, usual prices of the
    next twelve hours (likewise).

    ## Action Space
    `Box(-1, 1, (1,))`: 1 buys with full power, -1 sells.

    ## Rewards
    0.2 x (money from the grid) - 0.2 x (wear).

    ## Starting State
    Half full at midnight.

    ## Episode End
    Truncated after 168 hours.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 168

    def __init__(
        self,
        *,
        capacity=100,
        power=25,
        efficiency=0.92,
        cycle_cost=2,
        price_shape=PRICE_SHAPE,
        keep=0.85,
        shock=0.025,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "capacity": capacity,
            "power": power,
            "efficiency": efficiency,
            "cycle_cost": cycle_cost,
            "price_shape": price_shape,
            "keep": keep,
            "shock": shock,
        }
        self._use({})
        low = np.array([0, -5, -1, -1] + [-2] * 12, np.float32)
        high = np.array([1, 5, 1, 1] + [2] * 12, np.float32)
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), dtype=np.float32)

    def _use(self, overrides):
        p = {**self._defaults, **overrides}
        self.capacity, self.power = float(p["capacity"]), float(p["power"])
        self.efficiency, self.cycle_cost = float(p["efficiency"]), float(p["cycle_cost"])
        self.price_shape = np.array(p["price_shape"], dtype=np.float64)
        self.keep, self.shock = float(p["keep"]), float(p["shock"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = 0
        self.charge, self.hour = self.capacity / 2, 0
        self.deviation = float(np.clip(self.np_random.normal(0.0, self.shock), -2.0, 2.0))
        self.price = float(self.price_shape[0]) + self.deviation
        self.bought = self.sold = self.paid_price = 0.0
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        one_way = math.sqrt(self.efficiency)
        wish = self.power * min(max(float(action[0]), -1.0), 1.0)
        self.bought = max(0.0, min(wish, (self.capacity - self.charge) / one_way))
        self.sold = max(0.0, min(-wish, self.charge * one_way))
        charge = self.charge + self.bought * one_way - self.sold / one_way
        self.charge = min(max(charge, 0.0), self.capacity)  # rounding
        self.paid_price = self.price

        self.hour = (self.hour + 1) % 24
        fresh = self.keep * self.deviation + self.np_random.normal(0.0, self.shock)
        self.deviation = float(np.clip(fresh, -2.0, 2.0))
        self.price = float(self.price_shape[self.hour]) + self.deviation
        self.time += 1

        income = self.paid_price * (self.sold - self.bought)
        wear = self.cycle_cost * (self.bought * one_way + self.sold / one_way) / (2 * self.capacity)
        reward = 0.2 * income - 0.2 * wear
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(income, wear)

    def _observation(self):
        angle = 2 * math.pi * self.hour / 24
        usual = self.price_shape[(self.hour + np.arange(12)) % 24]
        head = [self.charge / self.capacity, (self.price - 0.25) / 0.15, math.sin(angle), math.cos(angle)]
        seen = np.concatenate([head, (usual - 0.25) / 0.15]).astype(np.float32)
        return np.clip(seen, self.observation_space.low, self.observation_space.high)

    def _info(self, income, wear):
        return {
            "state": {
                "charge": self.charge,
                "hour": self.hour,
                "deviation": self.deviation,
                "price": self.price,
                "bought": self.bought,
                "sold": self.sold,
                "paid_price": self.paid_price,
            },
            "reward_components": {"income": income, "wear": wear},
            "ending": None,
        }
