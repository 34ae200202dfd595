"""What the evaluations of a training say: whether the reward still rises, whether a metric fell meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kit.contracts.outcomes import Evaluation

LEAST_EVALUATIONS: Final = 6  # with fewer, a curve says nothing
LEAST_FOR_A_SLOPE: Final = 4
NOTICEABLE: Final = 0.1  # of the whole curve's range
SURE: Final = 2.0  # standard errors


def still_rising(evaluations: Sequence[Evaluation]) -> bool:
    """Over the last third the reward rose noticeably, and more than its own noise explains."""
    if len(evaluations) < LEAST_EVALUATIONS:
        return False
    rewards = np.array([one.mean_reward for one in evaluations])
    times = np.array([one.timesteps for one in evaluations], dtype=np.float64)
    few = max(len(rewards) // 3, LEAST_FOR_A_SLOPE)
    late, at = rewards[-few:], times[-few:] - times[-few:].mean()
    slope = float(at @ late / (at @ at))
    noise = late - late.mean() - slope * at
    error = float(np.sqrt(noise @ noise / max(len(late) - 2, 1) / (at @ at)))
    risen = slope * float(np.ptp(at))
    return risen > NOTICEABLE * float(np.ptp(rewards)) and slope > SURE * error


def parted(evaluations: Sequence[Evaluation], metric: str, sign: float) -> tuple[float, float] | None:
    """(reward gained, metric lost) where, from the first to the last third, one rose and the other fell; else None.

    sign: 1 where higher is better. The second number is in the metric's unit, and positive.
    """
    points = [(e.mean_reward, sign * n.value) for e in evaluations for n in e.metrics if n.name == metric]
    if len(points) < LEAST_EVALUATIONS:
        return None
    rewards, goods = np.array(points).T
    gained, lost = _moved(rewards), -_moved(goods)
    return (gained, lost) if gained > 0 and lost > 0 else None


def _moved(curve: np.ndarray) -> float:
    """From the mean of the first third to that of the last; 0 where that is not noticeable, or not sure."""
    third = len(curve) // 3
    first, last = curve[:third], curve[-third:]
    moved = float(last.mean() - first.mean())
    error = float(np.sqrt(first.var(ddof=1) / third + last.var(ddof=1) / third))
    sure = abs(moved) > SURE * error and abs(moved) > NOTICEABLE * float(np.ptp(curve))
    return moved if sure else 0.0
