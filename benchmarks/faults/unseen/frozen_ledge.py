import gymnasium as gym
from gymnasium import spaces

PLAN = (
    "S.....",
    "..#.#.",
    ".#..#.",
    ".#.#..",
    "...#.#",
    "#....G",
)
SIDE = len(PLAN)


def _table():
    table = {}
    for r in range(SIDE):
        for c in range(SIDE):
            for a, (dr, dc) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
                rr, cc = min(max(r + dr, 0), SIDE - 1), min(max(c + dc, 0), SIDE - 1)
                table[r * SIDE + c, a] = (rr * SIDE + cc, PLAN[rr][cc])
    return table


TABLE = _table()


class Env(gym.Env):
    """A fixed ledge with holes: same start, same moves, same result every time."""

    def __init__(self):
        self.observation_space = spaces.Discrete(SIDE * SIDE)
        self.action_space = spaces.Discrete(4)
        self.state = 0
        self.elapsed = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = 0
        self.elapsed = 0
        return self.state, {}

    def step(self, action):
        self.state, tile = TABLE[self.state, int(action)]
        self.elapsed += 1
        ended = tile in "#G"
        reward = float(tile == "G")
        return self.state, reward, ended, self.elapsed >= 100 and not ended, {"tile": tile}
