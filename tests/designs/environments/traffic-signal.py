"""A traffic light with four phases, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

AGES = 25  # row a of `younger` counts the cars that have waited less than a steps


class Environment(gym.Env):
    """Keep the phase or go on to the next, so that cars wait little and nobody waits over two minutes.

    ## Description
    One step is five seconds. Going on, where it is allowed, makes the step yellow: nobody leaves. Otherwise cars of the
    green phase leave, the oldest first; then cars come, Poisson with the hour's strength, and join while there is room.

    ## Observation Space
    `Box(24,)`: phase (one-hot 4), green (twelfths), may_change, queue (tens, 4), cars over a minute (tens, 4), longest
    wait (minutes, 4).

    ## Action Space
    `Discrete(2)`: 0 keeps the phase, 1 goes on; masked until `least_green` steps have passed.

    ## Rewards
    -0.02 x (cars waiting) - 0.02 x late_price x (cars over two minutes).

    ## Starting State
    Empty lanes, a random phase, an hour of random strength.

    ## Episode End
    Truncated after 720 steps.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 720

    def __init__(
        self,
        *,
        step_s=5,
        late_s=120,
        rates=(0.6, 0.2, 0.5, 0.15),
        leave=(3, 2, 3, 2),
        room=60,
        least_green=2,
        busy_low=0.6,
        busy_high=1.3,
        late_price=10,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "step_s": step_s,
            "late_s": late_s,
            "rates": rates,
            "leave": leave,
            "room": room,
            "least_green": least_green,
            "busy_low": busy_low,
            "busy_high": busy_high,
            "late_price": late_price,
        }
        self._use({})
        high = [1] * 4 + [5, 1] + [6] * 8 + [2.1] * 4
        self.observation_space = gym.spaces.Box(
            np.zeros(len(high), np.float32), np.array(high, np.float32), dtype=np.float32
        )
        self.action_space = gym.spaces.Discrete(2)

    def _use(self, overrides):
        p = {**self._defaults, **overrides}
        self.rates = np.array(p["rates"], dtype=np.float64)
        self.leave = np.array(p["leave"], dtype=np.int64)
        self.room, self.least_green = int(p["room"]), int(p["least_green"])
        self.busy_low, self.busy_high = float(p["busy_low"]), float(p["busy_high"])
        self.late_price = float(p["late_price"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = 0
        self.phase, self.green = int(self.np_random.integers(4)), 0
        self.busy = float(self.np_random.uniform(self.busy_low, self.busy_high))
        self.queue = np.zeros(4, dtype=np.int64)
        self.younger = np.zeros((AGES, 4), dtype=np.int64)
        self.changed = self.late = 0
        self.came = self.joined = self.served = np.zeros(4, dtype=np.int64)
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        self.changed = int(int(action) == 1 and self.green >= self.least_green)
        is_green = (np.arange(4) == self.phase) & (not self.changed)
        self.served = np.minimum(self.queue, self.leave * is_green)
        left = self.queue - self.served

        self.came = self.np_random.poisson(self.rates * self.busy)
        self.joined = np.minimum(self.came, self.room - left)
        self.queue = left + self.joined
        older = self.joined + np.minimum(self.younger[:-1], left)  # the oldest leave first
        self.younger = np.vstack([np.zeros((1, 4), dtype=np.int64), older])
        self.late = int((self.queue - self.younger[-1]).sum())

        self.phase = (self.phase + self.changed) % 4
        self.green = 0 if self.changed else min(self.green + 1, 60)
        self.time += 1

        waiting, late = float(self.queue.sum()), self.late_price * self.late
        reward = -0.02 * waiting - 0.02 * late
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(waiting, late)

    def action_masks(self):
        return np.array([True, self.green >= self.least_green])

    def _observation(self):
        oldest = (self.younger < self.queue).sum(axis=0) / 12
        terms = [
            np.arange(4) == self.phase,
            [self.green / 12, self.green >= self.least_green],
            self.queue / 10,
            (self.queue - self.younger[12]) / 10,
            oldest,
        ]
        seen = np.concatenate([np.asarray(term, dtype=np.float64) for term in terms]).astype(np.float32)
        return np.clip(seen, self.observation_space.low, self.observation_space.high)

    def _info(self, waiting, late):
        return {
            "state": {
                "phase": self.phase,
                "green": self.green,
                "queue": self.queue.copy(),
                "younger": self.younger.copy(),
                "busy": self.busy,
                "changed": self.changed,
                "came": self.came.copy(),
                "joined": self.joined.copy(),
                "served": self.served.copy(),
                "late": self.late,
            },
            "reward_components": {"waiting": waiting, "late": late},
            "ending": None,
        }
