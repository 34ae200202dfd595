import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Env(gym.Env):
    """Play the cards of one hand in an order that beats the table card as often as possible."""

    hand_size = 6

    def __init__(self):
        self.observation_space = spaces.Box(0.0, 1.0, (self.hand_size + 1,), np.float32)
        self.action_space = spaces.Discrete(self.hand_size)
        self.hand = []
        self.table = 1
        self.deck = []

    def _obs(self):
        view = np.zeros(self.hand_size + 1, np.float32)
        view[: len(self.hand)] = np.array(self.hand, np.float32) / 20.0
        view[-1] = self.table / 20.0
        return view

    def _turn(self):
        self.table = self.deck.pop()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cards = [int(c) for c in self.np_random.permutation(np.arange(1, 21))]
        self.hand = sorted(cards[: self.hand_size])
        self.deck = cards[self.hand_size :]
        self._turn()
        self.action_space = spaces.Discrete(len(self.hand))
        return self._obs(), {}

    def step(self, action):
        card = self.hand.pop(min(int(action), len(self.hand) - 1))
        if card > self.table:
            reward = 1.0 - 0.02 * (card - self.table)
        else:
            reward = -0.2
        out = not self.hand
        if not out:
            self._turn()
            self.action_space = spaces.Discrete(len(self.hand))
        return self._obs(), reward, out, False, {"left": len(self.hand)}
