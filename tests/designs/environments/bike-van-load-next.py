"""A van that rebalances bike stations, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

MINUTES = (
    (5, 8, 10, 12, 14, 11, 9),
    (8, 5, 6, 10, 13, 12, 10),
    (10, 6, 5, 7, 10, 11, 11),
    (12, 10, 7, 5, 6, 9, 12),
    (14, 13, 10, 6, 5, 7, 11),
    (11, 12, 11, 9, 7, 5, 7),
    (9, 10, 11, 12, 11, 7, 5),
)
STOPS = 7


class Environment(gym.Env):
    """Load or unload bikes here, then drive on, so that stations are neither empty nor full.

    ## Description
    One step is a stop: bikes are handled, the van drives (or waits five minutes), and meanwhile people rent and return
    bikes at every station, Poisson by the minute. In the second half of the day the two directions change places.

    ## Observation Space
    `Box(17,)`: share of racks taken at each stop (7), share of the van's room, stop (one-hot 7), share of the day gone,
    whether it is the second half.

    ## Action Space
    `MultiDiscrete([13, 7])`: bikes to load less 6 (masked to what is possible), and the next stop.

    ## Rewards
    -0.2 x (failed rentals and returns) - 0.005 x (minutes x stations that are empty or full).

    ## Starting State
    Stations a quarter to three quarters full, 30 bikes at the base, the van there with 6.

    ## Episode End
    Terminates as `day_over` when the clock reaches the day's length; truncated after 120 stops.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 120

    def __init__(
        self,
        *,
        stops=7,
        room=12,
        racks=(60, 20, 20, 16, 16, 24, 20),
        minutes=MINUTES,
        handling=0.5,
        rent=(0, 0.16, 0.14, 0.10, 0.05, 0.04, 0.06),
        back=(0, 0.05, 0.05, 0.05, 0.12, 0.16, 0.12),
        day=480,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "stops": stops,
            "room": room,
            "racks": racks,
            "minutes": minutes,
            "handling": handling,
            "rent": rent,
            "back": back,
            "day": day,
        }
        self._use({})
        high = np.ones(17, np.float32)
        high[15] = 1.1
        self.observation_space = gym.spaces.Box(np.zeros(17, np.float32), high, dtype=np.float32)
        self.action_space = gym.spaces.MultiDiscrete([13, STOPS])

    def _use(self, overrides):
        p = {**self._defaults, **overrides}
        self.room, self.handling, self.day = int(p["room"]), float(p["handling"]), float(p["day"])
        self.racks = np.array(p["racks"], dtype=np.int64)
        self.trips = np.array(p["minutes"], dtype=np.float64)
        self.rent, self.back = np.array(p["rent"], dtype=np.float64), np.array(p["back"], dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.steps = 0
        shares = self.np_random.uniform(0.25, 0.75, STOPS)
        self.bikes = np.round(shares * self.racks).astype(np.int64)
        self.bikes[0] = 30
        self.van, self.at, self.clock = 6, 0, 0.0
        self.moved, self.minutes, self.bad_minutes = 0, 0.0, 0.0
        self.wanted = self.rented = self.coming = self.returned = np.zeros(STOPS, dtype=np.int64)
        return self._observation(), self._info(0.0, 0.0, None)

    def step(self, action):
        load, following = (int(choice) for choice in action)
        least, most = self._limits()
        self.moved = min(max(load - 6, -least), most)
        there = self.bikes.copy()
        there[self.at] -= self.moved
        self.van += self.moved

        self.minutes = float(self.trips[self.at, following]) + self.handling * abs(self.moved)
        afternoon = self.clock >= self.day / 2
        out, home = (self.back, self.rent) if afternoon else (self.rent, self.back)
        self.wanted = self.np_random.poisson(out * self.minutes)
        self.coming = self.np_random.poisson(home * self.minutes)
        self.rented = np.minimum(self.wanted, there)
        self.returned = np.minimum(self.coming, self.racks - (there - self.rented))
        self.bikes = there - self.rented + self.returned

        self.at = following
        self.clock += self.minutes
        self.steps += 1
        stations, racks = self.bikes[1:], self.racks[1:]
        self.bad_minutes = self.minutes * int(((stations == 0) | (stations == racks)).sum())

        lost = float((self.wanted - self.rented).sum() + (self.coming - self.returned).sum())
        reward = -0.2 * lost - 0.005 * self.bad_minutes
        ending = "day_over" if self.clock >= self.day else None
        truncated = ending is None and self.steps >= self.STEP_LIMIT
        info = self._info(lost, self.bad_minutes, ending)
        return self._observation(), reward, ending is not None, truncated, info

    def _limits(self):
        """Bikes that can be unloaded and loaded here at most."""
        here = int(self.bikes[self.at])
        return min(self.van, int(self.racks[self.at]) - here), min(here, self.room - self.van)

    def action_masks(self):
        least, most = self._limits()
        change = np.arange(13) - 6
        return np.concatenate([(change <= most) & (-change <= least), np.ones(STOPS, dtype=bool)])

    def _observation(self):
        terms = [
            self.bikes / self.racks,
            [self.van / self.room],
            np.arange(STOPS) == self.at,
            [self.clock / self.day, self.clock >= self.day / 2],
        ]
        seen = np.concatenate([np.asarray(term, dtype=np.float64) for term in terms]).astype(np.float32)
        return np.clip(seen, self.observation_space.low, self.observation_space.high)

    def _info(self, lost, bad, ending):
        return {
            "state": {
                "bikes": self.bikes.copy(),
                "van": self.van,
                "at": self.at,
                "clock": self.clock,
                "moved": self.moved,
                "minutes": self.minutes,
                "wanted": self.wanted.copy(),
                "rented": self.rented.copy(),
                "coming": self.coming.copy(),
                "returned": self.returned.copy(),
                "bad_minutes": self.bad_minutes,
            },
            "reward_components": {"lost": lost, "bad": bad},
            "ending": ending,
        }
