import gymnasium as gym
import numpy as np
from gymnasium import spaces

TRACKS = [
    ("harbour", "market"),
    ("market", "castle"),
    ("castle", "museum"),
    ("museum", "harbour"),
    ("market", "station"),
    ("station", "stadium"),
    ("stadium", "museum"),
    ("castle", "hospital"),
]
STOPS = list({stop for track in TRACKS for stop in track})
NEXT = {s: [b if a == s else a for a, b in TRACKS if s in (a, b)] for s in STOPS}


class Env(gym.Env):
    """Drive a tram through the town to the stop where a passenger waits."""

    max_steps = 40

    def __init__(self):
        n = len(STOPS)
        self.observation_space = spaces.Box(0.0, 1.0, (2 * n,), np.float32)
        self.action_space = spaces.Discrete(max(len(v) for v in NEXT.values()))
        self.here = self.caller = STOPS[0]
        self.t = 0

    def _obs(self):
        view = np.zeros((2, len(STOPS)), np.float32)
        view[0, STOPS.index(self.here)] = 1.0
        view[1, STOPS.index(self.caller)] = 1.0
        return view.ravel()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        first, second = self.np_random.choice(len(STOPS), size=2, replace=False)
        self.here, self.caller = STOPS[int(first)], STOPS[int(second)]
        self.t = 0
        return self._obs(), {"stop": self.here}

    def step(self, action):
        exits = NEXT[self.here]
        choice = int(action)
        blocked = choice >= len(exits)
        if not blocked:
            self.here = exits[choice]
        self.t += 1
        picked_up = self.here == self.caller
        reward = 1.0 if picked_up else (-0.1 if blocked else -0.03)
        return self._obs(), reward, picked_up, self.t >= self.max_steps and not picked_up, {"stop": self.here}
