"""Parcels slide down nine chutes and one cart catches them, seen by a camera, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

CELLS = 9  # rows and chutes
PIXELS = 4  # a cell's side in the picture


class Environment(gym.Env):
    """One cart below nine chutes; lose as little value as possible.

    ## Description
    One step is one second:

    1. The cart moves one chute to the left or right, or stays.
    2. All parcels slide down a row; what had landed is gone.
    3. With a chance of 0.4 a parcel appears at the top of a random chute: worth 3 in a quarter of the cases, else 1.
    4. What is now in the last row has landed. It is caught where the cart stands, and breaks elsewhere.

    ## Observation Space
    `Box(0, 255, (36, 36, 1), uint8)`: the chutes from the front, four by four pixels a cell. A parcel has a grey of 60
    for each unit of its value; the cart is white, in the last row.

    ## Action Space
    `Discrete(3)`: left, stay, right.

    ## Rewards
    The value caught, minus half of the value that broke.

    ## Starting State
    No parcels, the cart below a random chute.

    ## Episode End
    Truncated after 120 seconds; it never terminates.

    ## Arguments
    `arrival`, `rich` and `rich_value`, as in the description; `reset(options={"parameters": {...}})` replaces some for
    one episode.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}
    STEP_LIMIT = 120

    def __init__(self, *, arrival=0.4, rich=0.25, rich_value=3, render_mode=None):
        self.render_mode = render_mode
        self._defaults = {"arrival": arrival, "rich": rich, "rich_value": rich_value}
        self._use({})
        side = CELLS * PIXELS
        self.observation_space = gym.spaces.Box(0, 255, (side, side, 1), np.uint8)
        self.action_space = gym.spaces.Discrete(3)

    def _use(self, overrides):
        """Take the constants for one episode: the constructor's, some of them replaced."""
        unknown = sorted(set(overrides) - set(self._defaults))
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(unknown)}")
        p = {**self._defaults, **overrides}
        self.arrival, self.rich, self.rich_value = float(p["arrival"]), float(p["rich"]), int(p["rich_value"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        self.second = 0
        self.parcels = np.zeros((CELLS, CELLS), np.int64)
        self.cart = int(self.np_random.integers(CELLS))
        self.landed = self.caught = 0
        return self._observation(), self._info(0.0, 0.0)

    def step(self, action):
        self.cart = min(max(self.cart + int(action) - 1, 0), CELLS - 1)
        self.parcels[1:] = self.parcels[:-1].copy()
        self.parcels[0] = 0
        if self.np_random.random() < self.arrival:
            chute = self.np_random.integers(CELLS)
            self.parcels[0, chute] = self.rich_value if self.np_random.random() < self.rich else 1
        self.landed = int(self.parcels[-1].sum())
        self.caught = int(self.parcels[-1, self.cart])
        self.second += 1
        caught, lost = float(self.caught), float(self.landed - self.caught)
        truncated = self.second >= self.STEP_LIMIT
        return self._observation(), caught - 0.5 * lost, False, truncated, self._info(caught, lost)

    def render(self):
        return np.repeat(self._observation(), 3, axis=2) if self.render_mode == "rgb_array" else None

    def _observation(self):
        cells = (60 * self.parcels).astype(np.uint8)
        cells[-1, self.cart] = 255
        return np.kron(cells, np.ones((PIXELS, PIXELS), np.uint8))[:, :, None]

    def _info(self, caught, lost):
        return {
            "state": {
                "parcels": self.parcels.copy(),
                "cart": self.cart,
                "landed": self.landed,
                "caught": self.caught,
            },
            "reward_components": {"caught": caught, "lost": lost},
            "ending": None,
        }
