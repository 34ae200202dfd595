"""A resource split over thirteen targets whose needs drift, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

TARGETS = 13
LEVEL = (0.5, 0.4, 0.3, 0.2, 0.1, 0, 0, 0, -0.1, -0.2, -0.3, -0.4, -0.5)


class Environment(gym.Env):
    """Move shares of a resource after needs that drift; moving costs.

    ## Description
    One step is ten minutes. The mean of the thirteen wishes is taken off, the rest is scaled and added to the shares,
    none of which falls below a floor; then they are scaled to sum to 1. The needs of the moment are covered as far as
    the shares go, and then drift.

    ## Observation Space
    `Box(39,)`: shares (fifths, 13), needs (fifths, 13), need less share (tenths, 13).

    ## Action Space
    `Box(-1, 1, (13,))`: a wish to change each share.

    ## Rewards
    Share of the needs covered, less move_cost x the share moved.

    ## Starting State
    Equal shares, needs drawn from their long-run distribution.

    ## Episode End
    Truncated after 144 steps.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 144

    def __init__(
        self,
        *,
        targets=13,
        change_most=1,
        scale=0.2,
        floor=0.001,
        keep=0.97,
        shock=0.15,
        level=LEVEL,
        move_cost=0.3,
        render_mode=None,
    ):
        self.render_mode = render_mode
        self._defaults = {
            "targets": targets,
            "change_most": change_most,
            "scale": scale,
            "floor": floor,
            "keep": keep,
            "shock": shock,
            "level": level,
            "move_cost": move_cost,
        }
        self._use({})
        high = np.repeat(np.array([5, 5, 10], np.float32), TARGETS)
        low = np.repeat(np.array([0, 0, -10], np.float32), TARGETS)
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (TARGETS,), dtype=np.float32)

    def _use(self, overrides):
        p = {**self._defaults, **overrides}
        self.scale, self.floor = float(p["scale"]), float(p["floor"])
        self.keep, self.shock, self.move_cost = float(p["keep"]), float(p["shock"]), float(p["move_cost"])
        self.level = np.array(p["level"], dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.clock = 0
        self.shares = np.full(TARGETS, 1 / TARGETS)
        spread = self.shock / np.sqrt(1 - self.keep**2)
        self._drift_to(self.np_random.normal(0.0, spread, TARGETS))
        self.moved = self.covered = 0.0
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        wish = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        wanted = np.maximum(self.shares + self.scale * (wish - wish.mean()), self.floor)
        shares = wanted / wanted.sum()
        self.moved = float(np.abs(shares - self.shares).sum() / 2)
        self.covered = float(np.minimum(shares, self.needs).sum())
        self.shares = shares
        self._drift_to(self.keep * self.deviation + self.np_random.normal(0.0, self.shock, TARGETS))
        self.clock += 1

        moving = self.move_cost * self.moved
        info = self._info(self.covered, moving)
        return self._observation(), self.covered - moving, False, self.clock >= self.STEP_LIMIT, info

    def _drift_to(self, deviation):
        self.deviation = np.clip(deviation, -3.0, 3.0)
        weights = np.exp(self.level + self.deviation)
        self.needs = weights / weights.sum()

    def _observation(self):
        gap = np.clip(10 * (self.needs - self.shares), -10.0, 10.0)
        return np.concatenate([5 * self.shares, 5 * self.needs, gap]).astype(np.float32)

    def _info(self, covered, moving):
        return {
            "state": {
                "shares": self.shares.copy(),
                "deviation": self.deviation.copy(),
                "needs": self.needs.copy(),
                "clock": self.clock,
                "moved": self.moved,
                "covered": self.covered,
            },
            "reward_components": {"covered": covered, "moved": moving},
            "ending": None,
        }
