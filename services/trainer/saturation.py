"""Saturation: where a learning curve is heading, by a least-squares fit of level - gap x exp(-steps / pace)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np

LEAST_POINTS: Final = 6
NEARLY: Final = 0.05  # of the whole rise may be left when a budget is called enough
LEAST_MORE, MOST_MORE = 1.5, 10.0  # a suggestion, in budgets spent so far
_PACES: Final = np.geomspace(0.1, 10.0, 60)  # tried, in budgets


@dataclass(frozen=True)
class Saturation:
    """level: where it ends. gap: what lay below it at step 0. pace: steps in which that shrinks by e."""

    level: float
    gap: float
    pace: float

    def enough(self, first: float, spent: float) -> int:
        """Steps after which 5 % of the rise since `first` are left; at least 1.5 and at most 10 times `spent`."""
        left = NEARLY * self.gap * exp(-first / self.pace)
        steps = self.pace * log(self.gap / left)
        return _rounded_up(min(max(steps, LEAST_MORE * spent), MOST_MORE * spent))


def fitted(times: Sequence[float], values: Sequence[float]) -> Saturation | None:
    """The best fit of a curve that rises; None for too few points, or where no rising curve fits."""
    if len(times) < LEAST_POINTS:
        return None
    at, y = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    best, least = None, np.inf
    for pace in _PACES * at[-1]:
        terms = np.stack([np.ones_like(at), -np.exp(-at / pace)], axis=1)
        (level, gap), *_ = np.linalg.lstsq(terms, y, rcond=None)
        error = float(((terms @ (level, gap) - y) ** 2).sum())
        if gap > 0 and error < least:
            best, least = Saturation(float(level), float(gap), float(pace)), error
    return best


def _rounded_up(steps: float) -> int:
    """To two digits: 123,456 -> 130,000."""
    unit = 10 ** max(len(str(int(steps))) - 2, 0)
    return int(-(-steps // unit) * unit)
