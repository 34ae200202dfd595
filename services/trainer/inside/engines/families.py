"""Families: what each kind of action does with the policy network's outputs: sample, score, and the score's slope.

Outputs are (numbers, rows), actions (terms, rows). One object scores one batch at a time and remembers it for slope().
"""

from __future__ import annotations

from math import log, pi
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from services.trainer.inside.engines.flat import Floats, Piece

Actions = NDArray[Any]  # whole numbers or not, by the family
Masks = NDArray[np.bool_]

SMALLEST = np.float32(1e-30)  # a draw of exactly 0 has no logarithm
MASKED = np.float32(-1e8)  # as sb3-contrib has it
NOTHING = np.float32(-1e30)  # there is no such choice


class Family(Protocol):
    """The arithmetic of one kind of action."""

    def noise(self, random: np.random.Generator, steps: int, rows: int) -> Floats:
        """All the chance of a rollout, (steps, numbers, rows)."""

    def sample(self, outputs: Floats, noise: Floats | np.float32, masks: Masks | None) -> Actions:
        """(rows, terms)."""

    def best(self, outputs: Floats, masks: Masks | None) -> Actions:
        """The likeliest, (rows, terms)."""

    def columns(self, actions: Actions) -> Actions:
        """(rows, terms) as the buffer has them -> (terms, rows) as score() takes them."""

    def score(self, outputs: Floats, actions: Actions, masks: Masks | None) -> tuple[Floats, Floats]:
        """Log-probability and entropy of each row."""

    def slope(self, by_score: Floats, by_entropy: float) -> Floats:
        """The loss's slope by the outputs, from its slope by each row's score and by every row's entropy."""


class Choices:
    """Discrete and MultiDiscrete. Terms of different widths are padded to one, so that all are computed at once."""

    def __init__(self, widths: list[int]) -> None:
        self._terms, self._widest = len(widths), max(widths)
        self._padded = len(set(widths)) > 1
        slots = [term * self._widest + choice for term, width in enumerate(widths) for choice in range(width)]
        self._slots = np.array(slots)
        self._firsts = (np.arange(self._terms) * self._widest)[:, None]
        self._numbers = sum(widths)

    def noise(self, random: np.random.Generator, steps: int, rows: int) -> Floats:
        # The largest of logits with Gumbel noise is a draw from their softmax.
        draws = random.standard_exponential((steps, self._numbers, rows), dtype=np.float32)
        np.maximum(draws, SMALLEST, out=draws)
        np.log(draws, out=draws)
        np.negative(draws, out=draws)
        return draws

    def sample(self, outputs: Floats, noise: Floats | np.float32, masks: Masks | None) -> Actions:
        if masks is not None:
            outputs = np.where(masks, outputs, MASKED)
        chosen: Actions = self._by_term(outputs + noise, NOTHING).argmax(axis=1).T
        return chosen

    def best(self, outputs: Floats, masks: Masks | None) -> Actions:
        return self.sample(outputs, np.float32(0.0), masks)

    def columns(self, actions: Actions) -> Actions:
        return np.ascontiguousarray(actions.T, dtype=np.intp)

    def score(self, outputs: Floats, actions: Actions, masks: Masks | None) -> tuple[Floats, Floats]:
        self._masks = masks
        if masks is not None:
            outputs = np.where(masks, outputs, MASKED)
        logits = self._by_term(outputs, NOTHING)
        logits = logits - logits.max(axis=1, keepdims=True)
        chances = np.exp(logits)
        sums = chances.sum(axis=1, keepdims=True)
        logits -= np.log(sums)
        chances /= sums
        surprises = chances * logits
        if masks is not None:
            surprises *= self._by_term(masks, False)
        self._chances, self._logits = chances, logits
        self._entropies = -surprises.sum(axis=1, keepdims=True)
        self._taken = (actions + self._firsts, np.arange(actions.shape[1]))
        scores = logits.reshape(-1, logits.shape[2])[self._taken].sum(axis=0)
        return scores, self._entropies.sum(axis=(0, 1))

    def slope(self, by_score: Floats, by_entropy: float) -> Floats:
        slope: Floats = self._chances * -by_score
        if by_entropy:
            slope -= by_entropy * (self._chances * (self._logits + self._entropies))
        rows = slope.reshape(-1, slope.shape[2])
        rows[self._taken] += by_score
        slope = rows[self._slots] if self._padded else rows
        return slope if self._masks is None else slope * self._masks

    def _by_term(self, outputs: NDArray[Any], filling: object) -> NDArray[Any]:
        """(numbers, rows) -> (terms, widest, rows)."""
        rows = outputs.shape[1]
        if not self._padded:
            return outputs.reshape(self._terms, self._widest, rows)
        padded = np.full((self._terms * self._widest, rows), filling, outputs.dtype)
        padded[self._slots] = outputs
        return padded.reshape(self._terms, self._widest, rows)


class Switches:
    """MultiBinary: each number is the logit of being on."""

    def __init__(self, count: int) -> None:
        self._count = count

    def noise(self, random: np.random.Generator, steps: int, rows: int) -> Floats:
        # Logistic noise: the difference of two logs of exponential draws.
        draws = random.standard_exponential((2, steps, self._count, rows), dtype=np.float32)
        np.maximum(draws, SMALLEST, out=draws)
        np.log(draws, out=draws)
        logistic: Floats = draws[0] - draws[1]
        return logistic

    def sample(self, outputs: Floats, noise: Floats | np.float32, masks: Masks | None) -> Actions:
        return (outputs + noise > 0).T.astype(np.int8)

    def best(self, outputs: Floats, masks: Masks | None) -> Actions:
        return self.sample(outputs, np.float32(0.0), masks)

    def columns(self, actions: Actions) -> Actions:
        return np.ascontiguousarray(actions.T, dtype=np.float32)

    def score(self, outputs: Floats, actions: Actions, masks: Masks | None) -> tuple[Floats, Floats]:
        chances = np.tanh(outputs * np.float32(0.5))
        chances += 1.0
        chances *= 0.5
        soft = np.log1p(np.exp(-np.abs(outputs))) + np.maximum(outputs, 0.0)
        self._outputs, self._chances, self._actions = outputs, chances, actions
        return (actions * outputs - soft).sum(axis=0), (soft - outputs * chances).sum(axis=0)

    def slope(self, by_score: Floats, by_entropy: float) -> Floats:
        slope: Floats = (self._actions - self._chances) * by_score
        if by_entropy:
            slope -= by_entropy * self._outputs * self._chances * (1.0 - self._chances)
        return slope


class Numbers:
    """Box: each number is the mean of a Gaussian; its spread is a parameter of its own."""

    def __init__(self, log_spreads: Piece) -> None:
        self._log_spreads = log_spreads

    def noise(self, random: np.random.Generator, steps: int, rows: int) -> Floats:
        return random.standard_normal((steps, self._log_spreads.values.shape[1], rows), dtype=np.float32)

    def sample(self, outputs: Floats, noise: Floats | np.float32, masks: Masks | None) -> Actions:
        numbers: Actions = (outputs + np.exp(self._log_spreads.values[0])[:, None] * noise).T
        return numbers

    def best(self, outputs: Floats, masks: Masks | None) -> Actions:
        return outputs.T

    def columns(self, actions: Actions) -> Actions:
        return np.ascontiguousarray(actions.T, dtype=np.float32)

    def score(self, outputs: Floats, actions: Actions, masks: Masks | None) -> tuple[Floats, Floats]:
        logs = self._log_spreads.values[0][:, None]
        self._inverse = np.exp(-logs)
        self._off = (actions - outputs) * self._inverse
        scores = -0.5 * (self._off * self._off).sum(axis=0) - float(logs.sum()) - 0.5 * log(2 * pi) * len(logs)
        entropy = float(logs.sum()) + (0.5 + 0.5 * log(2 * pi)) * len(logs)
        return scores, np.full(outputs.shape[1], entropy, np.float32)

    def slope(self, by_score: Floats, by_entropy: float) -> Floats:
        weighted: Floats = self._off * by_score
        spread = (weighted * self._off).sum(axis=1) - by_score.sum() + by_entropy * len(by_score)
        self._log_spreads.gradients[0] = spread
        weighted *= self._inverse
        return weighted


def widths(space: spaces.Space) -> list[int]:
    """The choices of each term of a Discrete or MultiDiscrete."""
    return [int(space.n)] if isinstance(space, spaces.Discrete) else [int(n) for n in space.nvec]
