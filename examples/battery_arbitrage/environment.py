"""A battery that trades against hourly prices for a week, as a Gymnasium environment."""

from math import cos, pi, sin

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One battery: choose every hour how hard to charge or discharge.

    ## Description
    One step is one hour. Prices are known twelve hours ahead:

    1. A positive action buys energy, a negative one sells it, as a share of `full_power`. Buying ends when the
       battery is full, selling when it is empty.
    2. `efficiency` times the energy bought is stored, so the whole loss is taken when charging.
    3. Energy is paid for at the hour's price; each kWh sold wears the cells by its share of a full cycle.
    4. The prices move up by an hour. The one that comes into view is the mean of its hour of the day, a slow drift
       and a little chance; it may be negative.

    ## Observation Space
    `Box(-5, 5, (17,), float32)`, most of it near [-1, 1]:

    | index | term | scale |
    | --- | --- | --- |
    | 0 | energy in the battery, from half full | half the capacity |
    | 1-2 | sine and cosine of the time of day | 1 |
    | 3 | price now, above the lowest in view | 0.15 EUR/kWh |
    | 4 | price now, below the highest in view | 0.15 EUR/kWh |
    | 5-16 | prices of the coming twelve hours, from 0.25 EUR/kWh | 0.15 EUR/kWh |

    ## Action Space
    `Box(-1, 1, (1,), float32)`: -1 sells at full power, 0 rests, 1 buys at full power.

    ## Rewards
    0.2 x the money earned in the hour: trade with the grid, less the wear of the cells.

    ## Starting State
    Midnight, the battery between empty and half full, twelve prices drawn.

    ## Episode End
    Truncated after 168 hours (a week); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the battery or the market; `reset(options={"parameters": {...}})`
    replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 168

    def __init__(
        self,
        *,
        capacity=100,
        full_power=25,
        efficiency=0.92,
        cycle_cost=2,
        price_mean=(
            0.14, 0.12, 0.11, 0.10, 0.12, 0.18, 0.27, 0.36, 0.38, 0.30, 0.23, 0.19,
            0.17, 0.16, 0.18, 0.22, 0.29, 0.38, 0.44, 0.46, 0.38, 0.29, 0.22, 0.17,
        ),
        drift_keep=0.95,
        drift_step=0.02,
        price_spread=0.05,
        render_mode=None,
    ):  # fmt: skip
        self.render_mode = render_mode
        self._defaults = {
            "capacity": capacity,
            "full_power": full_power,
            "efficiency": efficiency,
            "cycle_cost": cycle_cost,
            "price_mean": price_mean,
            "drift_keep": drift_keep,
            "drift_step": drift_step,
            "price_spread": price_spread,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (17,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.capacity, self.full_power = float(p["capacity"]), float(p["full_power"])
        self.efficiency, self.cycle_cost = float(p["efficiency"]), float(p["cycle_cost"])
        self.price_mean = np.asarray(p["price_mean"], dtype=np.float64).reshape(24).tolist()
        self.drift_keep, self.drift_step = float(p["drift_keep"]), float(p["drift_step"])
        self.price_spread = float(p["price_spread"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = self.hour = 0
        self.stored = self.capacity * float(self.np_random.uniform(0.0, 0.5))
        self.drift = float(self.np_random.uniform(-0.05, 0.05))
        self.prices = [self._new_price(hour) for hour in range(12)]
        self.bought = self.sold = 0.0
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        # The battery.
        power = self.full_power * min(1.0, max(-1.0, float(action[0])))
        self.bought = min(max(0.0, power), (self.capacity - self.stored) / self.efficiency)
        self.sold = min(max(0.0, -power), self.stored)
        self.stored = min(self.capacity, max(0.0, self.stored + self.efficiency * self.bought - self.sold))

        trade = self.prices[0] * (self.sold - self.bought)
        wear = self.cycle_cost * self.sold / self.capacity

        # The market.
        self.drift = self.drift_keep * self.drift + self.drift_step * float(self.np_random.uniform(-1.0, 1.0))
        self.prices = [*self.prices[1:], self._new_price((self.hour + 12) % 24)]
        self.hour = (self.hour + 1) % 24
        self.time += 1

        reward = 0.2 * (trade - wear)
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(trade, wear)

    def _new_price(self, hour):
        return self.price_mean[hour] + self.drift + self.price_spread * float(self.np_random.uniform(-1.0, 1.0))

    def _observation(self):
        now, angle = self.prices[0], 2.0 * pi * self.hour / 24
        terms = [
            2.0 * self.stored / self.capacity - 1.0,
            sin(angle),
            cos(angle),
            (now - min(self.prices)) / 0.15,
            (max(self.prices) - now) / 0.15,
        ]
        terms += [(price - 0.25) / 0.15 for price in self.prices]
        return np.array([min(5.0, max(-5.0, term)) for term in terms], dtype=np.float32)

    def _info(self, trade, wear):
        return {
            "state": {
                "stored": self.stored,
                "hour": self.hour,
                "drift": self.drift,
                "prices": np.array(self.prices, dtype=np.float64),
                "bought": self.bought,
                "sold": self.sold,
            },
            "reward_components": {"trade": trade, "wear": wear},
            "ending": None,
        }
