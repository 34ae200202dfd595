"""Two lifts in a house of ten floors, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

FLOORS = 10


class Environment(gym.Env):
    """Tell two lifts where to go next, so that people wait little.

    ## Description
    One step is four seconds: a lift that is at the floor it is sent to opens, lets people out and in; any other moves
    one floor. People come to the floors, Poisson by the part of the hour, and press their floor once they are inside.

    ## Observation Space
    `Box(54,)`: floor of each lift (one-hot, 2 x 10), people waiting (tens, 10), people in each lift by the floor they
    want (shares of a cabin, 2 x 10), part of the hour (one-hot 4).

    ## Action Space
    `MultiDiscrete([10, 10])`: the floor each lift is sent to.

    ## Rewards
    -0.02 x waiting - 0.01 x riding + 0.05 x boarded.

    ## Starting State
    Empty lifts on random floors, nobody waits.

    ## Episode End
    Truncated after 900 steps, an hour.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 900

    def __init__(
        self,
        *,
        floors=10,
        lifts=2,
        good_wait=40,
        tick_s=4,
        cabin=8,
        room=40,
        rate=(0.08, 0.35, 0.15, 0.28),
        lobby_share=(0.4, 0.9, 0.4, 0.15),
        to_lobby=(0.5, 0.3, 0.5, 0.9),
        quarter=225,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "floors": floors,
            "lifts": lifts,
            "good_wait": good_wait,
            "tick_s": tick_s,
            "cabin": cabin,
            "room": room,
            "rate": rate,
            "lobby_share": lobby_share,
            "to_lobby": to_lobby,
            "quarter": quarter,
        }
        self._use({})
        high = np.array([1] * 20 + [4] * 10 + [1] * 24, np.float32)
        self.observation_space = gym.spaces.Box(np.zeros(54, np.float32), high, dtype=np.float32)
        self.action_space = gym.spaces.MultiDiscrete([FLOORS, FLOORS])

    def _use(self, overrides):
        p = {**self._defaults, **overrides}
        self.cabin, self.room, self.quarter = int(p["cabin"]), int(p["room"]), int(p["quarter"])
        self.rate = np.array(p["rate"], dtype=np.float64)
        self.lobby_share = np.array(p["lobby_share"], dtype=np.float64)
        self.to_lobby = np.array(p["to_lobby"], dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.floor = self.np_random.integers(0, FLOORS, 2)
        self.waiting = np.zeros(FLOORS, dtype=np.int64)
        self.inside = np.zeros((2, FLOORS), dtype=np.int64)
        self.clock = self.part = 0
        self.came = self.joined = np.zeros(FLOORS, dtype=np.int64)
        self.wish = np.zeros((2, FLOORS), dtype=np.int64)
        self.boarded = self.alighted = self.moved = np.zeros(2, dtype=np.int64)
        return self._observation(), self._info(0.0, 0.0, 0.0)

    def step(self, action):
        goal = np.asarray(action, dtype=np.int64)
        self.moved = (goal != self.floor).astype(np.int64)
        self.boarded, self.alighted = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
        self.wish = np.zeros((2, FLOORS), dtype=np.int64)
        for lift in (0, 1):
            if not self.moved[lift]:
                self._open(lift, int(self.floor[lift]))

        mix = np.full(FLOORS, (1 - self.lobby_share[self.part]) / (FLOORS - 1))
        mix[0] = self.lobby_share[self.part]
        self.came = self.np_random.poisson(self.rate[self.part] * mix)
        self.joined = np.minimum(self.came, self.room - self.waiting)
        self.waiting = self.waiting + self.joined
        self.floor = self.floor + np.sign(goal - self.floor)
        self.clock += 1
        self.part = min(self.clock // self.quarter, 3)

        waiting, riding, boarded = float(self.waiting.sum()), float(self.inside.sum()), float(self.boarded.sum())
        reward = -0.02 * waiting - 0.01 * riding + 0.05 * boarded
        info = self._info(waiting, riding, boarded)
        return self._observation(), reward, False, self.clock >= self.STEP_LIMIT, info

    def _open(self, lift, floor):
        self.alighted[lift] = self.inside[lift, floor]
        self.inside[lift, floor] = 0
        entering = min(int(self.waiting[floor]), self.cabin - int(self.inside[lift].sum()))
        self.waiting[floor] -= entering
        self.boarded[lift] = entering
        for _ in range(entering):
            self.wish[lift, self._wanted_from(floor)] += 1
        self.inside[lift] += self.wish[lift]

    def _wanted_from(self, floor):
        """The floor that somebody wants who boards here: never this one."""
        if floor == 0:
            return int(self.np_random.integers(1, FLOORS))
        if self.np_random.random() < self.to_lobby[self.part]:
            return 0
        other = int(self.np_random.integers(1, FLOORS - 1))
        return other + (other >= floor)

    def _observation(self):
        floors = np.arange(FLOORS)
        terms = [
            floors == self.floor[0],
            floors == self.floor[1],
            self.waiting / 10,
            (self.inside / self.cabin).reshape(-1),
            np.arange(4) == self.part,
        ]
        return np.concatenate([np.asarray(term, dtype=np.float64) for term in terms]).astype(np.float32)

    def _info(self, waiting, riding, boarded):
        return {
            "state": {
                "floor": self.floor.copy(),
                "waiting": self.waiting.copy(),
                "inside0": self.inside[0].copy(),
                "inside1": self.inside[1].copy(),
                "clock": self.clock,
                "part": self.part,
                "came": self.came.copy(),
                "joined": self.joined.copy(),
                "boarded": self.boarded.copy(),
                "alighted": self.alighted.copy(),
                "wish0": self.wish[0].copy(),
                "wish1": self.wish[1].copy(),
                "moved": self.moved.copy(),
            },
            "reward_components": {"waiting": waiting, "riding": riding, "boarded": boarded},
            "ending": None,
        }
