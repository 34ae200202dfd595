"""An office building that is heated by one heat pump, a quarter of an hour at a time, as a Gymnasium environment."""

from math import cos, pi, sin

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One office building on working days: choose the heat pump's power every 15 minutes.

    ## Description
    The building is two lumps of heat capacity, the air of the rooms and the fabric (walls and floors) that stores
    heat for a day. Electricity has a price for every hour, known twelve hours ahead. One step is a quarter of an hour:

    1. The action sets the power. Less than `least_share` of full power is off, and a thermostat cuts the pump off
       while the rooms are above `cut_out`. Going from off to on is a start.
    2. The pump gives `power x COP` of heat, more when it is mild; `air_share` goes into the air, the rest into the
       fabric. In working hours people and machines give `people_heat`.
    3. Air and fabric exchange heat with each other and lose it to the outdoors; a little chance stays (`draught`).
    4. In working hours the degrees outside 20-23 count as discomfort.
    5. The clock moves on, the weather's anomaly drifts; on the hour, the tariff moves up and a new price comes in view.

    ## Observation Space
    `Box(-5, 5, (22,), float32)`, most of it near [-1, 1]:

    | index | term | scale |
    | --- | --- | --- |
    | 0 | rooms, from 21.5 degrees | 1.5 K |
    | 1 | fabric, from 21.5 degrees | 1.5 K |
    | 2 | outdoors, from 2 degrees | 6 K |
    | 3 | whether the pump runs | 1 |
    | 4 | whether the coming quarter is in working hours | 1 |
    | 5 | time until working hours begin, 0 in them | 16 h |
    | 6 | time until they end, 0 outside them | 11 h |
    | 7-8 | sine and cosine of the time of day | 1 |
    | 9 | price now, less the mean of the coming twelve hours | 0.15 EUR/kWh |
    | 10-21 | prices of this and the coming eleven hours, from 0.25 EUR/kWh | 0.15 EUR/kWh |

    ## Action Space
    `Box(-1, 1, (1,), float32)`: -1 is off, 1 full power, linear between.

    ## Rewards
    -0.1 x the money of the quarter-hour: electricity, wear by starts, and discomfort at `discomfort_price`.

    ## Starting State
    Midnight; rooms between 18 and 21 degrees, fabric within half a degree of them, the pump off, an anomaly of the
    weather and a tariff drawn.

    ## Episode End
    Truncated after 288 quarter-hours (three days); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the building; `reset(options={"parameters": {...}})` replaces
    some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 288
    STEP_H = 0.25

    def __init__(
        self,
        *,
        full_power=30,
        least_share=0.25,
        cop_at_zero=3.0,
        cop_slope=0.06,
        cut_out=26,
        air_capacity=15,
        fabric_capacity=120,
        exchange=12.0,
        air_loss=2.5,
        fabric_loss=1.5,
        air_share=0.6,
        people_heat=8,
        draught=0.05,
        comfort_low=20,
        comfort_high=23,
        open_quarter=28,
        close_quarter=72,
        outdoor_mean=2,
        outdoor_swing=4,
        anomaly_keep=0.99,
        anomaly_drift=0.2,
        price_mean=(
            0.14, 0.12, 0.11, 0.11, 0.13, 0.18, 0.28, 0.38, 0.40, 0.32, 0.24, 0.18,
            0.15, 0.14, 0.16, 0.22, 0.32, 0.44, 0.48, 0.44, 0.34, 0.26, 0.20, 0.16,
        ),
        price_spread=0.08,
        start_cost=2,
        discomfort_price=12,
        render_mode=None,
    ):  # fmt: skip
        self.render_mode = render_mode
        self._defaults = {
            "full_power": full_power,
            "least_share": least_share,
            "cop_at_zero": cop_at_zero,
            "cop_slope": cop_slope,
            "cut_out": cut_out,
            "air_capacity": air_capacity,
            "fabric_capacity": fabric_capacity,
            "exchange": exchange,
            "air_loss": air_loss,
            "fabric_loss": fabric_loss,
            "air_share": air_share,
            "people_heat": people_heat,
            "draught": draught,
            "comfort_low": comfort_low,
            "comfort_high": comfort_high,
            "open_quarter": open_quarter,
            "close_quarter": close_quarter,
            "outdoor_mean": outdoor_mean,
            "outdoor_swing": outdoor_swing,
            "anomaly_keep": anomaly_keep,
            "anomaly_drift": anomaly_drift,
            "price_mean": price_mean,
            "price_spread": price_spread,
            "start_cost": start_cost,
            "discomfort_price": discomfort_price,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (22,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.full_power, self.least_share = float(p["full_power"]), float(p["least_share"])
        self.cop_at_zero, self.cop_slope = float(p["cop_at_zero"]), float(p["cop_slope"])
        self.cut_out = float(p["cut_out"])
        self.air_capacity, self.fabric_capacity = float(p["air_capacity"]), float(p["fabric_capacity"])
        self.exchange, self.air_loss, self.fabric_loss = (float(p[k]) for k in ("exchange", "air_loss", "fabric_loss"))
        self.air_share, self.people_heat, self.draught = (float(p[k]) for k in ("air_share", "people_heat", "draught"))
        self.comfort_low, self.comfort_high = float(p["comfort_low"]), float(p["comfort_high"])
        self.open_quarter, self.close_quarter = int(p["open_quarter"]), int(p["close_quarter"])
        self.outdoor_mean, self.outdoor_swing = float(p["outdoor_mean"]), float(p["outdoor_swing"])
        self.anomaly_keep, self.anomaly_drift = float(p["anomaly_keep"]), float(p["anomaly_drift"])
        self.price_mean = np.asarray(p["price_mean"], dtype=np.float64).reshape(24).tolist()
        self.price_spread = float(p["price_spread"])
        self.start_cost, self.discomfort_price = float(p["start_cost"]), float(p["discomfort_price"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        random = self.np_random
        self.time = self.quarter = 0
        self.rooms = float(random.uniform(18.0, 21.0))
        self.fabric = self.rooms + float(random.uniform(-0.5, 0.5))
        self.anomaly = float(random.uniform(-3.0, 3.0))
        self.outdoor = self._outdoor()
        self.prices = [self._new_price(hour) for hour in range(12)]
        self.running = self.started = 0
        self.power = self.discomfort = 0.0
        return self._observation(), self._info(0.0, 0.0, 0.0)

    def step(self, action):
        random = self.np_random
        # The heat pump.
        share = 0.5 * (min(1.0, max(-1.0, float(action[0]))) + 1.0)
        on = share >= self.least_share and self.rooms <= self.cut_out
        self.power = self.full_power * share if on else 0.0
        self.started = int(on and not self.running)
        self.running = int(on)
        heat = self.power * min(5.0, max(1.5, self.cop_at_zero + self.cop_slope * self.outdoor))

        # The building: both lumps move by the temperatures before the step.
        working = self.open_quarter <= self.quarter < self.close_quarter
        to_fabric = self.exchange * (self.rooms - self.fabric)
        air_gain = self.air_share * heat + (self.people_heat if working else 0.0)
        air_gain -= to_fabric + self.air_loss * (self.rooms - self.outdoor)
        fabric_gain = (1.0 - self.air_share) * heat + to_fabric - self.fabric_loss * (self.fabric - self.outdoor)
        self.rooms += self.STEP_H * air_gain / self.air_capacity + self.draught * float(random.uniform(-1.0, 1.0))
        self.fabric += self.STEP_H * fabric_gain / self.fabric_capacity
        outside = max(0.0, self.comfort_low - self.rooms, self.rooms - self.comfort_high)
        self.discomfort = self.STEP_H * outside if working else 0.0

        electricity = self.STEP_H * self.power * self.prices[0]
        wear = self.start_cost * self.started
        comfort = self.discomfort_price * self.discomfort

        # The clock, the weather and the tariff.
        self.quarter = (self.quarter + 1) % 96
        self.anomaly = self.anomaly_keep * self.anomaly + self.anomaly_drift * float(random.uniform(-1.0, 1.0))
        self.outdoor = self._outdoor()
        if self.quarter % 4 == 0:
            self.prices = [*self.prices[1:], self._new_price((self.quarter // 4 + 11) % 24)]
        self.time += 1

        reward = -0.1 * (electricity + wear + comfort)
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(electricity, wear, comfort)

    def _outdoor(self):
        """Coldest at three in the morning, mildest at three in the afternoon."""
        return self.outdoor_mean + self.outdoor_swing * sin(2.0 * pi * (self.quarter - 36) / 96) + self.anomaly

    def _new_price(self, hour):
        return max(0.0, self.price_mean[hour] + self.price_spread * float(self.np_random.uniform(-1.0, 1.0)))

    def _observation(self):
        quarter, prices = self.quarter, self.prices
        working = self.open_quarter <= quarter < self.close_quarter
        to_open = 0.0 if working else (self.open_quarter - quarter) % 96 / 4
        to_close = (self.close_quarter - quarter) / 4 if working else 0.0
        angle = 2.0 * pi * quarter / 96
        terms = [
            (self.rooms - 21.5) / 1.5,
            (self.fabric - 21.5) / 1.5,
            (self.outdoor - 2) / 6,
            float(self.running),
            float(working),
            to_open / 16,
            to_close / 11,
            sin(angle),
            cos(angle),
            (prices[0] - sum(prices) / 12) / 0.15,
        ]
        terms += [(price - 0.25) / 0.15 for price in prices]
        return np.array([min(5.0, max(-5.0, term)) for term in terms], dtype=np.float32)

    def _info(self, electricity, wear, comfort):
        return {
            "state": {
                "rooms": self.rooms,
                "fabric": self.fabric,
                "outdoor": self.outdoor,
                "anomaly": self.anomaly,
                "quarter": self.quarter,
                "prices": np.array(self.prices, dtype=np.float64),
                "running": self.running,
                "started": self.started,
                "power": self.power,
                "discomfort": self.discomfort,
            },
            "reward_components": {"electricity": electricity, "wear": wear, "discomfort": comfort},
            "ending": None,
        }
