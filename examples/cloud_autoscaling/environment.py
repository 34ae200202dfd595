"""A web service whose replicas are scaled every half minute, as a Gymnasium environment."""

from math import ceil, cos, pi

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One service between 1 and 20 replicas: add or remove some every 30 seconds.

    ## Description
    Requests follow the time of day. Spikes come on top, most of them just after the full hour: they rise within two
    minutes and fade within ten or twenty. One step is 30 seconds:

    1. Replicas are removed at once or ordered; either is cut to what `least` and `most` allow.
    2. The load of the step comes. Each replica serves up to `each` requests a second; what can't be served waits, and
       beyond `queue_most` it is refused.
    3. p95 latency is `base_ms / (1 - busy)`, at most `full_ms`, plus the time that the queue takes.
    4. Spikes rise and fade; a new one may come.
    5. Replicas that start move up; one that was ordered serves 90 seconds after its order.

    ## Observation Space
    `Box(-5, 5, (10,), float32)`, most of it near [0, 1]:

    | index | term | scale |
    | --- | --- | --- |
    | 0 | replicas that serve | 10 |
    | 1-2 | replicas that will serve after one and two more steps | 10 |
    | 3 | load of the last step, in replicas | 10 |
    | 4 | usual load of the coming step, in replicas | 10 |
    | 5 | load for each serving replica, as a share of what it can serve | 1 |
    | 6 | load over the usual, less one | 1 |
    | 7 | requests in the queue | 1000 |
    | 8 | steps until the full hour, at most 20 | 10 |
    | 9 | steps since the full hour, at most 20 | 10 |

    ## Action Space
    `Discrete(6)`: change the replicas by 0, -2, -1, +1, +2 or +4. `action_masks()` says which of them fit between
    `least` and `most`.

    ## Rewards
    -10 x the money of the step, in three components: replicas, slow (latency above the limit) and refused requests.

    ## Starting State
    A random time of the day, as many replicas as the usual load fills to two thirds, no spike and no queue.

    ## Episode End
    Truncated after 480 steps (four hours); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the service or its load;
    `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 480
    STEP_S = 30
    DAY = 2880  # steps
    HOUR = 120

    def __init__(
        self,
        *,
        least=1,
        most=20,
        deltas=(0, -2, -1, 1, 2, 4),
        each=50,
        base_ms=60,
        limit_ms=300,
        full_ms=1200,
        queue_most=3000,
        load_low=120,
        load_high=480,
        noise=0.06,
        hit_chance=0.004,
        hour_chance=0.6,
        jump_low=0.4,
        jump_high=1.0,
        rise=0.3,
        fade=0.93,
        replica_price=0.004,
        slow_price=0.12,
        refused_price=0.0002,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "least": least,
            "most": most,
            "deltas": deltas,
            "each": each,
            "base_ms": base_ms,
            "limit_ms": limit_ms,
            "full_ms": full_ms,
            "queue_most": queue_most,
            "load_low": load_low,
            "load_high": load_high,
            "noise": noise,
            "hit_chance": hit_chance,
            "hour_chance": hour_chance,
            "jump_low": jump_low,
            "jump_high": jump_high,
            "rise": rise,
            "fade": fade,
            "replica_price": replica_price,
            "slow_price": slow_price,
            "refused_price": refused_price,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (10,), np.float32)
        self.action_space = gym.spaces.Discrete(6)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.least, self.most = int(p["least"]), int(p["most"])
        self.deltas = np.asarray(p["deltas"], dtype=np.int64).reshape(6).tolist()
        self.each, self.base_ms, self.limit_ms = float(p["each"]), float(p["base_ms"]), float(p["limit_ms"])
        self.full_ms, self.queue_most = float(p["full_ms"]), float(p["queue_most"])
        self.load_low, self.load_high, self.noise = float(p["load_low"]), float(p["load_high"]), float(p["noise"])
        self.hit_chance, self.hour_chance = float(p["hit_chance"]), float(p["hour_chance"])
        self.jump_low, self.jump_high = float(p["jump_low"]), float(p["jump_high"])
        self.rise, self.fade = float(p["rise"]), float(p["fade"])
        self.replica_price, self.slow_price = float(p["replica_price"]), float(p["slow_price"])
        self.refused_price = float(p["refused_price"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = 0
        self.tick = int(self.np_random.integers(0, self.DAY))
        self.load = self._usual()
        self.ready = min(self.most, max(self.least, ceil(1.5 * self.load / self.each)))
        self.starting = [0, 0]
        self.aim = self.spike = self.waiting = self.latency = self.refused = 0.0
        self.added = self.removed = self.slow = 0
        return self._observation(), self._info(0.0, 0.0, 0.0)

    def step(self, action):
        random = self.np_random
        change = min(self._room(), max(self.least - self.ready, self.deltas[int(action)]))
        self.added, self.removed = max(0, change), max(0, -change)
        serving = self.ready - self.removed

        # The step's requests.
        self.load = self._usual() * (1.0 + self.spike) * (1.0 + self.noise * float(random.uniform(-1.0, 1.0)))
        busy = min(1.0, (self.load + self.waiting / self.STEP_S) / (self.each * serving))
        left = max(0.0, self.waiting + self.STEP_S * self.load - self.STEP_S * self.each * serving)
        self.waiting = min(self.queue_most, left)
        self.refused = left - self.waiting
        self.latency = min(self.full_ms, self.base_ms / max(1e-6, 1.0 - busy))
        self.latency += 1000.0 * self.waiting / (self.each * serving)
        self.slow = int(self.latency > self.limit_ms)

        # Spikes, replicas that start, the clock.
        hit = float(random.random()) < (self.hour_chance if self.tick % self.HOUR == 0 else self.hit_chance)
        jump = float(random.uniform(self.jump_low, self.jump_high))
        self.spike += self.rise * (self.aim - self.spike)
        self.aim = self.fade * self.aim + (jump if hit else 0.0)
        self.ready = serving + self.starting[0]
        self.starting = [self.starting[1], self.added]
        self.tick = (self.tick + 1) % self.DAY
        self.time += 1

        replicas = self.replica_price * (self.ready + sum(self.starting))
        slow = self.slow_price * self.slow
        refused = self.refused_price * self.refused
        reward = -10.0 * (replicas + slow + refused)
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(replicas, slow, refused)

    def action_masks(self):
        """One bool for each choice: whether the replicas stay between least and most."""
        lowest, highest = self.least - self.ready, self._room()
        return np.array([lowest <= delta <= highest for delta in self.deltas])

    def _room(self):
        return self.most - self.ready - sum(self.starting)

    def _usual(self):
        """The usual load of the coming step: lowest at four in the morning, highest at four in the afternoon."""
        swing = 0.5 - 0.5 * cos(2.0 * pi * (self.tick - 480) / self.DAY)
        return self.load_low + (self.load_high - self.load_low) * swing

    def _observation(self):
        usual = self._usual()
        terms = [
            self.ready / 10,
            self.starting[0] / 10,
            self.starting[1] / 10,
            self.load / self.each / 10,
            usual / self.each / 10,
            self.load / self.each / self.ready,
            self.load / usual - 1.0,
            self.waiting / 1000,
            min(2.0, -self.tick % self.HOUR / 10),
            min(2.0, self.tick % self.HOUR / 10),
        ]
        return np.array([min(5.0, max(-5.0, term)) for term in terms], dtype=np.float32)

    def _info(self, replicas, slow, refused):
        return {
            "state": {
                "ready": self.ready,
                "starting": np.array(self.starting, dtype=np.int64),
                "tick": self.tick,
                "aim": self.aim,
                "spike": self.spike,
                "load": self.load,
                "waiting": self.waiting,
                "added": self.added,
                "removed": self.removed,
                "latency": self.latency,
                "refused": self.refused,
                "slow": self.slow,
            },
            "reward_components": {"replicas": replicas, "slow": slow, "refused": refused},
            "ending": None,
        }
