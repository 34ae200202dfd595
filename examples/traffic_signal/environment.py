"""A crossing with one traffic light, five seconds at a time, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np


class Environment(gym.Env):
    """One crossing with four phases: keep the green phase or change it every five seconds.

    ## Description
    Phases are 0 north-south, 1 north-south turning left, 2 east-west, 3 east-west turning left. One step is five
    seconds:

    1. If the chosen phase is the present one, or that has not been green for `least_green` steps yet, it stays green.
       Else the step is lost: all lights are red, and the chosen phase is green from the next step on.
    2. Cars come to each phase (Poisson); how busy each is differs from half-hour to half-hour.
    3. In a green step up to `discharge` cars of the phase cross.
    4. Detectors remember how many cars came lately (`memory`).
    5. Queues that stand still grow older; one that has stood for more than `patience` steps counts as more cars.

    ## Observation Space
    `Box(0, 20, (18,), float32)`, most of it near [0, 2]:

    | index | term | scale |
    | --- | --- | --- |
    | 0-3 | cars that wait, by phase | 5 |
    | 4-7 | steps since the queue last moved, by phase | 24 |
    | 8-11 | one-hot: the phase that is or becomes green | 1 |
    | 12 | steps that it has been green | 10 |
    | 13 | whether it must stay green | 1 |
    | 14-17 | cars that came lately, by phase, as a share of twice the usual | 1 |

    ## Action Space
    `Discrete(4)`: the phase to be green. `action_masks()` allows only the present one until it has been green for
    `least_green` steps.

    ## Rewards
    -0.05 x the cars that wait, and -0.05 x `late_weight` for each queue that has stood for more than two minutes.

    ## Starting State
    Up to five cars at each phase, phase 0 just turned green, how busy each phase is drawn.

    ## Episode End
    Truncated after 360 steps (half an hour); it never terminates.

    ## Arguments
    Every keyword of the constructor is a constant of the crossing; `reset(options={"parameters": {...}})` replaces
    some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 360
    PHASES = 4

    def __init__(
        self,
        *,
        arrivals_mean=(0.75, 0.25, 0.6, 0.2),
        busy_low=0.6,
        busy_high=1.4,
        discharge=(4, 2, 4, 2),
        least_green=2,
        patience=24,
        late_weight=5,
        memory=0.96,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "arrivals_mean": arrivals_mean,
            "busy_low": busy_low,
            "busy_high": busy_high,
            "discharge": discharge,
            "least_green": least_green,
            "patience": patience,
            "late_weight": late_weight,
            "memory": memory,
        }
        self._use({})
        self.observation_space = gym.spaces.Box(0.0, 20.0, (18,), np.float32)
        self.action_space = gym.spaces.Discrete(self.PHASES)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.arrivals_mean = np.asarray(p["arrivals_mean"], dtype=np.float64).reshape(4).tolist()
        self.busy_low, self.busy_high = float(p["busy_low"]), float(p["busy_high"])
        self.discharge = np.asarray(p["discharge"], dtype=np.int64).reshape(4).tolist()
        self.least_green, self.patience = int(p["least_green"]), int(p["patience"])
        self.late_weight, self.memory = float(p["late_weight"]), float(p["memory"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.time = self.phase = self.green = self.changed = 0
        self.cars = self.np_random.integers(0, 6, size=self.PHASES).tolist()
        self.busy = self.np_random.uniform(self.busy_low, self.busy_high, size=self.PHASES).tolist()
        self.inflow = list(self.arrivals_mean)
        self.red, self.arrived, self.left = [0] * self.PHASES, [0] * self.PHASES, [0] * self.PHASES
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        chosen, before = int(action), self.phase
        kept = chosen == before or self.green < self.least_green
        self.changed = int(not kept)
        self.phase = before if kept else chosen
        self.green = self.green + 1 if kept else 0

        for k in range(self.PHASES):
            self.arrived[k] = int(self.np_random.poisson(self.arrivals_mean[k] * self.busy[k]))
            self.inflow[k] = self.memory * self.inflow[k] + (1.0 - self.memory) * self.arrived[k]
            moves = kept and k == before
            there = self.cars[k] + self.arrived[k]
            self.left[k] = min(self.discharge[k], there) if moves else 0
            self.cars[k] = there - self.left[k]
            self.red[k] = self.red[k] + 1 if self.cars[k] > 0 and not moves else 0
        self.time += 1

        waiting = float(sum(self.cars))
        late = self.late_weight * sum(red > self.patience for red in self.red)
        reward = -0.05 * (waiting + late)
        return self._observation(), reward, False, self.time >= self.STEP_LIMIT, self._info(waiting, late)

    def action_masks(self):
        """One bool for each phase: whether it may be chosen now."""
        free = self.green >= self.least_green
        return np.array([free or k == self.phase for k in range(self.PHASES)])

    def _observation(self):
        terms = [cars / 5 for cars in self.cars] + [red / 24 for red in self.red]
        terms += [float(k == self.phase) for k in range(self.PHASES)]
        terms += [self.green / 10, float(self.green < self.least_green)]
        terms += [flow / usual / 2 for flow, usual in zip(self.inflow, self.arrivals_mean, strict=True)]
        return np.array([min(20.0, term) for term in terms], dtype=np.float32)

    def _info(self, waiting, late):
        return {
            "state": {
                "phase": self.phase,
                "green": self.green,
                "cars": np.array(self.cars, dtype=np.int64),
                "red": np.array(self.red, dtype=np.int64),
                "busy": np.array(self.busy, dtype=np.float64),
                "inflow": np.array(self.inflow, dtype=np.float64),
                "arrived": np.array(self.arrived, dtype=np.int64),
                "left": np.array(self.left, dtype=np.int64),
                "changed": self.changed,
            },
            "reward_components": {"waiting": waiting, "late": late},
            "ending": None,
        }
