"""What the evaluations of a training say: whether the reward still rises or fell again, whether a metric parted."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

import numpy as np

from kit.contracts.outcomes import Evaluation
from services.trainer.saturation import fitted

LEAST_EVALUATIONS: Final = 6  # with fewer, a curve says nothing
LEAST_FOR_A_SLOPE: Final = 4
NOTICEABLE: Final = 0.1  # of the whole curve's range
SURE: Final = 2.0  # standard errors
COLLAPSED: Final = 0.5  # of the rise is lost again at the end
SURELY_LOST: Final = 3.0  # standard errors: the highest of many evaluations is high by luck, too
_TOGETHER: Final = 3  # evaluations that make a level


def still_rising(evaluations: Sequence[Evaluation], untrained: float = inf) -> bool:
    """The reward rose noticeably, and beyond its own noise: over the last third, or from the second to the last.

    untrained: the reward that random actions get; noticeable is a tenth of all that the training rose from there.
    """
    if len(evaluations) < LEAST_EVALUATIONS:
        return False
    rewards = np.array([one.mean_reward for one in evaluations])
    whole = float(rewards.max()) - min(untrained, float(rewards.min()))
    third = len(rewards) // 3
    if _moved(rewards[-2 * third : -third], rewards[-third:], whole) > 0:
        return True
    times = np.array([one.timesteps for one in evaluations], dtype=np.float64)
    few = max(len(rewards) // 3, LEAST_FOR_A_SLOPE)
    late, at = rewards[-few:], times[-few:] - times[-few:].mean()
    slope = float(at @ late / (at @ at))
    noise = late - late.mean() - slope * at
    error = float(np.sqrt(noise @ noise / max(len(late) - 2, 1) / (at @ at)))
    risen = slope * float(np.ptp(at))
    return risen > NOTICEABLE * whole and slope > SURE * error


def collapsed(evaluations: Sequence[Evaluation], untrained: float, worth: float) -> tuple[float, float] | None:
    """(highest level, level at the end) where the reward rose and then lost more than half of its rise; else None.

    untrained: the reward that random actions get, where every training begins. worth: what the best of the others
    gets; a level that never passed it was not worth keeping; minus infinity where it was, surely. A level is the mean
    of three evaluations in a row, so that one bad evaluation is no collapse.
    """
    if len(evaluations) < LEAST_EVALUATIONS:
        return None
    rewards = np.array([one.mean_reward for one in evaluations])
    levels = np.convolve(rewards, np.ones(_TOGETHER) / _TOGETHER, mode="valid")
    peak = int(levels.argmax())
    highest, last = float(levels[peak]), float(levels[-1])
    risen = highest - min(untrained, float(rewards[: peak + 1].min()))
    errors = [one.std_reward / np.sqrt(max(one.episodes, 1)) for one in evaluations]
    noise = float(np.mean(errors)) * np.sqrt(2)  # neighbours play the same seeds alike, so three are no surer than one
    lost = highest - last
    if highest <= worth or risen <= 0 or lost <= max(COLLAPSED * risen, SURELY_LOST * noise):
        return None
    return highest, last


def parted(evaluations: Sequence[Evaluation], metric: str, sign: float) -> tuple[float, float] | None:
    """(reward gained, metric lost) where, from the first to the last third, one rose and the other fell; else None.

    sign: 1 where higher is better. The second number is in the metric's unit, and positive.
    """
    points = [(e.mean_reward, sign * n.value) for e in evaluations for n in e.metrics if n.name == metric]
    if len(points) < LEAST_EVALUATIONS:
        return None
    rewards, goods = np.array(points).T
    third = len(points) // 3
    gained, lost = (_moved(curve[:third], curve[-third:], float(np.ptp(curve))) for curve in (rewards, -goods))
    return (gained, lost) if gained > 0 and lost > 0 else None


def enough_steps(evaluations: Sequence[Evaluation], metric: str, sign: float, wanted: float) -> int | None:
    """A budget that should do: where the fit of the metric has nearly reached its level.

    wanted: the metric to beat. None where even the level does not beat it, or where nothing fits.
    """
    if not evaluations:
        return None
    spent = evaluations[-1].timesteps
    points = [(e.timesteps, sign * n.value) for e in evaluations for n in e.metrics if n.name == metric]
    of_metric = fitted(*zip(*points, strict=True)) if points else None
    if of_metric is not None:
        return of_metric.enough(points[0][0], spent) if of_metric.level > sign * wanted else None
    times = [one.timesteps for one in evaluations]
    of_reward = fitted(times, [one.mean_reward for one in evaluations])
    return None if of_reward is None else of_reward.enough(times[0], spent)


def _moved(before: np.ndarray, after: np.ndarray, whole: float) -> float:
    """From mean to mean; 0 where that is not noticeable beside the whole range, or not sure."""
    moved = float(after.mean() - before.mean())
    error = float(np.sqrt(before.var(ddof=1) / len(before) + after.var(ddof=1) / len(after)))
    return moved if abs(moved) > SURE * error and abs(moved) > NOTICEABLE * whole else 0.0
