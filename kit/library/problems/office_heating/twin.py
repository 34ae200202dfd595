"""The batched twin of environment.py: the same building, as NumPy over many copies at once."""

from math import pi

import numpy as np


class BatchedEnvironment:
    """Buildings that are stepped together; each copy draws what the scalar environment draws, in its order."""

    STEP_LIMIT = 288
    STEP_H = 0.25

    def __init__(
        self,
        copies,
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
    ):  # fmt: skip
        self.full_power, self.least_share, self.cut_out = full_power, least_share, cut_out
        self.cop_at_zero, self.cop_slope = cop_at_zero, cop_slope
        self.air_capacity, self.fabric_capacity = air_capacity, fabric_capacity
        self.exchange, self.air_loss, self.fabric_loss = exchange, air_loss, fabric_loss
        self.air_share, self.people_heat, self.draught = air_share, people_heat, draught
        self.comfort_low, self.comfort_high = comfort_low, comfort_high
        self.open_quarter, self.close_quarter = int(open_quarter), int(close_quarter)
        self.outdoor_mean, self.outdoor_swing = outdoor_mean, outdoor_swing
        self.anomaly_keep, self.anomaly_drift = anomaly_keep, anomaly_drift
        self.price_mean = np.asarray(price_mean, dtype=np.float64).reshape(24)
        self.price_spread = price_spread
        self.start_cost, self.discomfort_price = start_cost, discomfort_price
        self.time, self.quarter, self.running, self.started = np.zeros((4, copies), np.int64)
        self.rooms, self.fabric, self.anomaly, self.outdoor = np.zeros((4, copies))
        self.power, self.discomfort = np.zeros((2, copies))
        self.prices = np.zeros((12, copies))
        self.electricity, self.wear, self.comfort = np.zeros((3, copies))

    def reset(self, rows, random):
        self.time[rows] = self.quarter[rows] = 0
        self.rooms[rows] = random.uniform(18.0, 21.0, rows=rows)
        self.fabric[rows] = self.rooms[rows] + random.uniform(-0.5, 0.5, rows=rows)
        self.anomaly[rows] = random.uniform(-3.0, 3.0, rows=rows)
        self.outdoor[rows] = self._outdoor()[rows]
        for hour in range(12):
            self.prices[hour, rows] = self._new_price(self.price_mean[hour], rows, random)
        self.running[rows] = self.started[rows] = 0
        self.power[rows] = self.discomfort[rows] = 0.0

    def step(self, actions, random):
        # The heat pump.
        share = 0.5 * (np.clip(actions[:, 0].astype(np.float64), -1.0, 1.0) + 1.0)
        on = (share >= self.least_share) & (self.rooms <= self.cut_out)
        self.power = np.where(on, self.full_power * share, 0.0)
        self.started = (on & (self.running == 0)).astype(np.int64)
        self.running = on.astype(np.int64)
        heat = self.power * np.clip(self.cop_at_zero + self.cop_slope * self.outdoor, 1.5, 5.0)

        # The building: both lumps move by the temperatures before the step.
        working = self._working()
        to_fabric = self.exchange * (self.rooms - self.fabric)
        air_gain = self.air_share * heat + np.where(working, self.people_heat, 0.0)
        air_gain -= to_fabric + self.air_loss * (self.rooms - self.outdoor)
        fabric_gain = (1.0 - self.air_share) * heat + to_fabric - self.fabric_loss * (self.fabric - self.outdoor)
        self.rooms = (
            self.rooms + self.STEP_H * air_gain / self.air_capacity + self.draught * random.uniform(-1.0, 1.0)
        )
        self.fabric = self.fabric + self.STEP_H * fabric_gain / self.fabric_capacity
        outside = np.maximum(0.0, np.maximum(self.comfort_low - self.rooms, self.rooms - self.comfort_high))
        self.discomfort = np.where(working, self.STEP_H * outside, 0.0)

        self.electricity = self.STEP_H * self.power * self.prices[0]
        self.wear = self.start_cost * self.started.astype(np.float64)
        self.comfort = self.discomfort_price * self.discomfort

        # The clock, the weather and the tariff.
        self.quarter = (self.quarter + 1) % 96
        self.anomaly = self.anomaly_keep * self.anomaly + self.anomaly_drift * random.uniform(-1.0, 1.0)
        self.outdoor = self._outdoor()
        full = np.flatnonzero(self.quarter % 4 == 0)
        if len(full):
            self.prices[:-1, full] = self.prices[1:, full]
            mean = self.price_mean[(self.quarter[full] // 4 + 11) % 24]
            self.prices[-1, full] = self._new_price(mean, full, random)
        self.time += 1

        rewards = -0.1 * (self.electricity + self.wear + self.comfort)
        return rewards, np.zeros(len(rewards), bool), self.time >= self.STEP_LIMIT

    def observe(self):
        working = self._working()
        to_open = np.where(working, 0.0, (self.open_quarter - self.quarter) % 96 / 4)
        to_close = np.where(working, (self.close_quarter - self.quarter) / 4, 0.0)
        angle = 2.0 * pi * self.quarter / 96
        terms = [
            (self.rooms - 21.5) / 1.5,
            (self.fabric - 21.5) / 1.5,
            (self.outdoor - 2) / 6,
            self.running,
            working,
            to_open / 16,
            to_close / 11,
            np.sin(angle),
            np.cos(angle),
            (self.prices[0] - self.prices.sum(axis=0) / 12) / 0.15,
            *(self.prices - 0.25) / 0.15,
        ]
        return np.clip(np.stack(terms, axis=1), -5.0, 5.0).astype(np.float32)

    def state(self):
        return {
            "rooms": self.rooms,
            "fabric": self.fabric,
            "outdoor": self.outdoor,
            "anomaly": self.anomaly,
            "quarter": self.quarter,
            "prices": self.prices.T,
            "running": self.running,
            "started": self.started,
            "power": self.power,
            "discomfort": self.discomfort,
        }

    def components(self):
        return {"electricity": self.electricity, "wear": self.wear, "discomfort": self.comfort}

    def _working(self):
        return (self.open_quarter <= self.quarter) & (self.quarter < self.close_quarter)

    def _outdoor(self):
        """Coldest at three in the morning, mildest at three in the afternoon."""
        return self.outdoor_mean + self.outdoor_swing * np.sin(2.0 * pi * (self.quarter - 36) / 96) + self.anomaly

    def _new_price(self, mean, rows, random):
        return np.maximum(0.0, mean + self.price_spread * random.uniform(-1.0, 1.0, rows=rows))
