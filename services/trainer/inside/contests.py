"""Contests: which policy the trained one must beat, and which episode shows how it went. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kit.contracts.design import Direction, Metric
from kit.contracts.outcomes import PolicyKind
from services.trainer.inside.payloads import PolicyEpisodes

OF_TRAINING: Final = (PolicyKind.TRAINED, PolicyKind.HALF_TRAINED)

Floats = NDArray[np.float64]


def trained_of(policies: Sequence[PolicyEpisodes]) -> PolicyEpisodes:
    return next(one for one in policies if one.kind is PolicyKind.TRAINED)


def best_other(metric: Metric, policies: Sequence[PolicyEpisodes], among: Sequence[PolicyKind] = ()) -> (
    PolicyEpisodes | None
):  # fmt: skip
    """The best by the mean of the primary metric that no training made; None where none has a value.

    among: only these kinds, if any are given.
    """
    sign = sign_of(metric)
    rated = [
        (sign * float(values.mean()), one)
        for one in policies
        if one.kind not in OF_TRAINING and (not among or one.kind in among) and len(values := _known(one.metrics[0]))
    ]
    return max(rated, key=lambda pair: pair[0])[1] if rated else None


def to_show(metric: Metric, policies: Sequence[PolicyEpisodes]) -> tuple[PolicyEpisodes, ...]:
    """The trained policy, and the best that follows a rule: what random does on a seed, it does only once."""
    rules = (PolicyKind.BASELINE, PolicyKind.CONSTANT, PolicyKind.IDLE)
    other = best_other(metric, policies, rules)
    return (trained_of(policies), *(() if other is None else (other,)))


def shown_episode(metric: Metric, policies: Sequence[PolicyEpisodes]) -> int | None:
    """Which episode is typical of how the trained policy differs from the best rule; None without a metric's value.

    Of those in which metric and reward differ as they do on average, the one with the median difference.
    """
    shown = to_show(metric, policies)
    if len(shown) < 2:
        return None
    ours, rule = shown
    better = sign_of(metric) * (_numbers(ours.metrics[0]) - _numbers(rule.metrics[0]))
    paid = _numbers(ours.rewards) - _numbers(rule.rewards)
    known = np.flatnonzero(np.isfinite(better))
    if not len(known):
        return None
    alike = (np.sign(better) == np.sign(better[known].mean())) & (np.sign(paid) == np.sign(paid[known].mean()))
    typical = known[alike[known]]
    chosen = typical if len(typical) else known
    return int(chosen[np.argsort(better[chosen], kind="stable")[len(chosen) // 2]])


def sign_of(metric: Metric) -> float:
    return 1.0 if metric.direction is Direction.HIGHER else -1.0


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _known(values: Sequence[float | None]) -> Floats:
    numbers = _numbers(values)
    return numbers[np.isfinite(numbers)]
