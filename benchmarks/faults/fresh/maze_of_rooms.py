"""A long maze, paid only at its far end, which chance hardly ever reaches; the place is one number."""

import gymnasium as gym
import numpy as np

MAZE = """
#################
#S..#.....#.....#
#.#.#.###.#.###.#
#.#...#.#...#.#.#
#.#####.#####.#.#
#.....#.....#.#.#
#####.#.###.#.#.#
#.....#.#.#.#.#.#
#.#####.#.#.#.#G#
#...............#
#################
""".split()


class MazeOfRooms(gym.Env):
    moves = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def __init__(self, max_episode_steps=300, slip=0.1):
        self.height, self.width = len(MAZE), len(MAZE[0])
        self.max_episode_steps = max_episode_steps
        self.slip = slip
        self.observation_space = gym.spaces.Discrete(self.height * self.width)
        self.action_space = gym.spaces.Discrete(4)

    def _number(self):
        return self.place[0] * self.width + self.place[1]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = (1, 1)
        self.steps = 0
        return self._number(), {}

    def step(self, action):
        if self.np_random.random() < self.slip:
            action = int(self.np_random.integers(4))
        row, column = (a + b for a, b in zip(self.place, self.moves[int(action)]))
        if MAZE[row][column] != "#":
            self.place = (row, column)
        self.steps += 1
        found = MAZE[self.place[0]][self.place[1]] == "G"
        return self._number(), float(found), found, self.steps >= self.max_episode_steps and not found, {}
