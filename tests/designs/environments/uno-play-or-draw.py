"""Simplified Uno against one opponent, as a Gymnasium environment."""

import gymnasium as gym
import numpy as np

CARDS = 40
DECK, MINE, THEIRS, GONE = range(4)
DRAW = CARDS  # the last choice


def matches(card, top):
    """Whether a card may be laid on another: colour (card // 10) or number (card % 10) is the same."""
    return card // 10 == top // 10 or card % 10 == top % 10


class Environment(gym.Env):
    """Play a matching card or draw one; who first has no card wins.

    ## Description
    Forty cards, 0 to 9 in four colours, one each; card = 10 x colour + number. The agent plays or draws; then the
    opponent plays one of its matching cards at random, or draws. When fewer than two cards are left in the deck, all
    discards but the top one go back into it.

    ## Observation Space
    `Box(96,)`: hand (40), colour on top (one-hot 4), number on top (one-hot 10), the opponent's cards in tens, the
    deck's share of the cards, cards discarded since the deck was refilled (40).

    ## Action Space
    `Discrete(41)`: a card, or 40 to draw; masked to the cards in hand that match, and drawing.

    ## Rewards
    1 for winning, -1 for losing.

    ## Starting State
    Seven cards each, one card on top, the agent begins.

    ## Episode End
    Terminates as `won` or `lost`; truncated after 200 turns.

    ## Arguments
    Every keyword is a constant; `reset(options={"parameters": {...}})` replaces some for one episode.
    """

    metadata = {"render_modes": []}
    STEP_LIMIT = 200

    def __init__(self, *, numbers=10, colours=4, deal=7, late=200, render_mode=None):
        self.render_mode = render_mode
        self._defaults = {"numbers": numbers, "colours": colours, "deal": deal, "late": late}
        self._use({})
        high = np.ones(96, np.float32)
        high[54] = 4  # the opponent's cards, in tens
        self.observation_space = gym.spaces.Box(np.zeros(96, np.float32), high, dtype=np.float32)
        self.action_space = gym.spaces.Discrete(CARDS + 1)

    def _use(self, overrides):
        self.deal = int({**self._defaults, **overrides}["deal"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._use((options or {}).get("parameters", {}))
        cards = self.np_random.permutation(CARDS)
        self.place = np.full(CARDS, DECK, dtype=np.int64)
        self.place[cards[: self.deal]] = MINE
        self.place[cards[self.deal : 2 * self.deal]] = THEIRS
        self.top = int(cards[2 * self.deal])
        self.place[self.top] = GONE
        self.turn = 0
        self.played = self.drew = self.their_play = self.their_draw = 0
        return self._observation(), self._info(None)

    def step(self, action):
        card = int(action)
        self.played = self.drew = self.their_play = self.their_draw = 0
        if card < CARDS and self.place[card] == MINE and matches(card, self.top):
            self._lay(card)
            self.played = 1
        else:
            self.drew = self._draw(MINE)
        if (self.place == MINE).any():
            self._their_turn()
        if (self.place == DECK).sum() < 2:
            self.place[(self.place == GONE) & (np.arange(CARDS) != self.top)] = DECK
        self.turn += 1

        ending = "won" if not (self.place == MINE).any() else "lost" if not (self.place == THEIRS).any() else None
        reward = {"won": 1.0, "lost": -1.0, None: 0.0}[ending]
        truncated = ending is None and self.turn >= self.STEP_LIMIT
        return self._observation(), reward, ending is not None, truncated, self._info(ending)

    def _lay(self, card):
        self.place[card] = GONE
        self.top = card

    def _draw(self, hand):
        """1 + the card drawn, 0 from an empty deck."""
        deck = np.flatnonzero(self.place == DECK)
        if not len(deck):
            return 0
        card = int(self.np_random.choice(deck))
        self.place[card] = hand
        return card + 1

    def _their_turn(self):
        playable = [card for card in np.flatnonzero(self.place == THEIRS) if matches(card, self.top)]
        if playable:
            card = int(self.np_random.choice(playable))
            self._lay(card)
            self.their_play = card + 1
        else:
            self.their_draw = self._draw(THEIRS)

    def action_masks(self):
        legal = [self.place[card] == MINE and matches(card, self.top) for card in range(CARDS)]
        return np.array([*legal, True])

    def _observation(self):
        terms = [
            self.place == MINE,
            np.arange(4) == self.top // 10,
            np.arange(10) == self.top % 10,
            [(self.place == THEIRS).sum() / 10, (self.place == DECK).sum() / CARDS],
            self.place == GONE,
        ]
        return np.concatenate([np.asarray(term, dtype=np.float64) for term in terms]).astype(np.float32)

    def _info(self, ending):
        return {
            "state": {
                "place": self.place.copy(),
                "top": self.top,
                "turn": self.turn,
                "played": self.played,
                "drew": self.drew,
                "their_play": self.their_play,
                "their_draw": self.their_draw,
            },
            "reward_components": {"won": float(ending == "won"), "lost": float(ending == "lost")},
            "ending": ending,
        }
