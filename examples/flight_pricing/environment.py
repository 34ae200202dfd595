"""A flight whose seats are priced once a day until it leaves, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One flight: open one of eight fare classes a day, for the highest takings with few empty seats.

    ## Description
    Leisure travellers look for tickets early and will pay little, business travellers come late and will pay much.
    How many there are of each differs from flight to flight, and nobody knows before the bookings come in. One step
    is one day:

    1. The fare class of the day is opened.
    2. Travellers of both kinds come (Poisson); some are willing to pay the fare.
    3. They buy while there are seats; the others go elsewhere.
    4. What was asked for, and what would have been usual at this fare, is remembered; older days count less.

    ## Observation Space
    `Box(-5, 5, (6,), float32)`:

    | index | term |
    | --- | --- |
    | 0 | share of the seats not yet sold |
    | 1 | share of the selling time left |
    | 2 | seats left for each day left, in fours |
    | 3 | bookings asked for lately, as a share of the usual at the same fares, halved |
    | 4 | class that was open last, in sevens |
    | 5 | share of the seats sold ahead of an even pace, in tenths |

    ## Action Space
    `Discrete(8)`: the fare class, cheapest first: 60, 90, 120, 160, 200, 260, 330 or 420 EUR.

    ## Rewards
    0.001 x the money for the day's tickets, and at departure -0.001 x `empty_cost` for each empty seat.

    ## Starting State
    60 days before departure, all seats free; the flight's two markets are drawn.

    ## Episode End
    Terminates with `departed` when no day is left, after 60 days.

    ## Arguments
    Every keyword of the constructor is a constant of the flight or its market; `reset(options={"parameters": {...}})`
    replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 60

    def __init__(
        self,
        *,
        seats=120,
        days=60,
        fares=(60, 90, 120, 160, 200, 260, 330, 420),
        leisure_early=4.5,
        leisure_late=1.5,
        business_early=0.2,
        business_late=5.0,
        leisure_willing=(0.92, 0.75, 0.55, 0.35, 0.2, 0.08, 0.03, 0.01),
        business_willing=(1.0, 0.98, 0.95, 0.9, 0.82, 0.68, 0.5, 0.32),
        market_low=0.5,
        market_high=1.5,
        memory=0.93,
        prior=3.0,
        empty_cost=30,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "seats": seats,
            "days": days,
            "fares": fares,
            "leisure_early": leisure_early,
            "leisure_late": leisure_late,
            "business_early": business_early,
            "business_late": business_late,
            "leisure_willing": leisure_willing,
            "business_willing": business_willing,
            "market_low": market_low,
            "market_high": market_high,
            "memory": memory,
            "prior": prior,
            "empty_cost": empty_cost,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (6,), np.float32)
        self.action_space = gym.spaces.Discrete(8)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.seats, self.days = int(p["seats"]), int(p["days"])
        self.fares = np.asarray(p["fares"], dtype=np.float64).reshape(8).tolist()
        self.leisure_early, self.leisure_late = float(p["leisure_early"]), float(p["leisure_late"])
        self.business_early, self.business_late = float(p["business_early"]), float(p["business_late"])
        self.leisure_willing = np.asarray(p["leisure_willing"], dtype=np.float64).reshape(8).tolist()
        self.business_willing = np.asarray(p["business_willing"], dtype=np.float64).reshape(8).tolist()
        self.market_low, self.market_high = float(p["market_low"]), float(p["market_high"])
        self.memory, self.prior, self.empty_cost = float(p["memory"]), float(p["prior"]), float(p["empty_cost"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.day = 0
        self.seats_left, self.days_left = self.seats, self.days
        self.leisure_market = float(self.np_random.uniform(self.market_low, self.market_high))
        self.business_market = float(self.np_random.uniform(self.market_low, self.market_high))
        self.fare_class = self.requests = self.sold = 0
        self.seen = self.usual = self.revenue = 0.0
        return self._observation(), self._info(0.0, None)

    def step(self, action):
        self.fare_class = int(action)

        # Who comes, and who buys.
        gone = 1.0 - self.days_left / self.days
        leisure = self.leisure_early + (self.leisure_late - self.leisure_early) * gone
        business = self.business_early + (self.business_late - self.business_early) * gone**3
        leisure *= self.leisure_willing[self.fare_class]
        business *= self.business_willing[self.fare_class]
        self.requests = int(self.np_random.poisson(self.leisure_market * leisure))
        self.requests += int(self.np_random.poisson(self.business_market * business))
        self.sold = min(self.requests, self.seats_left)
        self.revenue = self.sold * self.fares[self.fare_class]
        self.seats_left -= self.sold

        # What is remembered of it.
        self.seen = self.memory * self.seen + self.requests
        self.usual = self.memory * self.usual + leisure + business
        self.days_left -= 1
        self.day += 1

        departed = self.days_left == 0
        empty = self.empty_cost * self.seats_left if departed else 0.0
        reward = 0.001 * (self.revenue - empty)
        info = self._info(empty, "departed" if departed else None)
        return self._observation(), reward, departed, self.day >= self.STEP_LIMIT and not departed, info

    def _observation(self):
        terms = [
            self.seats_left / self.seats,
            self.days_left / self.days,
            min(2.0, self.seats_left / max(1, self.days_left) / 4.0),
            min(2.0, (self.seen + self.prior) / (self.usual + self.prior) / 2.0),
            self.fare_class / 7.0,
            10.0 * (self.days_left / self.days - self.seats_left / self.seats),
        ]
        return np.array([min(5.0, max(-5.0, term)) for term in terms], dtype=np.float32)

    def _info(self, empty, ending):
        return {
            "state": {
                "seats_left": self.seats_left,
                "days_left": self.days_left,
                "leisure_market": self.leisure_market,
                "business_market": self.business_market,
                "fare_class": self.fare_class,
                "seen": self.seen,
                "usual": self.usual,
                "requests": self.requests,
                "sold": self.sold,
                "revenue": self.revenue,
            },
            "reward_components": {"revenue": self.revenue, "empty": empty},
            "ending": ending,
        }
