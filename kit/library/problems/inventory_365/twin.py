"""The batched twin of environment.py: the same shop, as NumPy over many copies at once."""

import numpy as np


class BatchedEnvironment:
    """Shops that are stepped together; each copy draws what the scalar environment draws, in its order."""

    STEP_LIMIT = 365

    def __init__(
        self,
        copies,
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
    ):
        self.capacity, self.order_size = int(capacity), int(order_size)
        self.forecast_low, self.forecast_high = int(forecast_low), int(forecast_high)
        self.spread = int(spread)
        self.holding_cost, self.shortage_cost = float(holding_cost), float(shortage_cost)
        self.order_fee, self.unit_fee = float(order_fee), float(unit_fee)
        self.day, self.stock = np.zeros((2, copies), np.int64)
        self.forecast = np.zeros((3, copies), np.int64)
        self.ordered, self.received, self.demand, self.sold, self.lost = np.zeros((5, copies), np.int64)
        self.holding, self.shortage, self.ordering = np.zeros((3, copies))

    def reset(self, rows, random):
        self.day[rows] = 0
        self.stock[rows] = random.integers(20, 61, rows=rows)
        for day in self.forecast:
            day[rows] = random.integers(self.forecast_low, self.forecast_high + 1, rows=rows)
        for flow in (self.ordered, self.received, self.demand, self.sold, self.lost):
            flow[rows] = 0

    def step(self, actions, random):
        self.ordered = self.order_size * actions
        self.received = np.minimum(self.ordered, self.capacity - self.stock)
        on_shelf = self.stock + self.received

        self.demand = self.forecast[0] + random.integers(-self.spread, self.spread + 1)
        self.sold = np.minimum(on_shelf, self.demand)
        self.lost = self.demand - self.sold
        self.stock = on_shelf - self.sold

        new = random.integers(self.forecast_low, self.forecast_high + 1)
        self.forecast = np.stack([self.forecast[1], self.forecast[2], new])
        self.day += 1

        self.holding = self.holding_cost * self.stock
        self.shortage = self.shortage_cost * self.lost
        self.ordering = self.order_fee * (self.ordered > 0) + self.unit_fee * self.received
        rewards = -0.1 * (self.holding + self.shortage + self.ordering)
        return rewards, np.zeros(len(rewards), bool), self.day >= self.STEP_LIMIT

    def observe(self):
        today, tomorrow, _ = self.forecast
        margins = [(self.stock - today) / 20, (self.stock - today - tomorrow) / 40, self.stock / 50]
        return np.stack([*margins, *(self.forecast - 25) / 15], axis=1).astype(np.float32)

    def state(self):
        return {
            "stock": self.stock,
            "forecast": self.forecast.T,
            "ordered": self.ordered,
            "received": self.received,
            "demand": self.demand,
            "sold": self.sold,
            "lost": self.lost,
        }

    def components(self):
        return {"holding": self.holding, "shortage": self.shortage, "ordering": self.ordering}
