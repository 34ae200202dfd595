"""Bootstrap intervals of a mean over episodes, seeded, so that the same numbers give the same verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kit.contracts.outcomes import Interval

RESAMPLES: Final = 4000
TAIL: Final = 2.5  # percent on either side: a 95 % interval
_SEED: Final = 2_718_281


def of_mean(values: Sequence[float | None]) -> Interval | None:
    """The mean of the values that exist, and where it would lie with other episodes; None where none exists."""
    sample = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(sample):
        return None
    mean = float(sample.mean())
    if len(sample) == 1 or float(np.ptp(sample)) == 0.0:
        return Interval(mean=mean, low=mean, high=mean)
    drawn = np.random.default_rng(_SEED).integers(len(sample), size=(RESAMPLES, len(sample)))
    low, high = np.percentile(sample[drawn].mean(axis=1), [TAIL, 100 - TAIL])
    return Interval(mean=mean, low=float(low), high=float(high))


def of_difference(ours: Sequence[float | None], theirs: Sequence[float | None]) -> Interval | None:
    """ours - theirs, episode by episode on the same seeds: what the seeds share cancels."""
    pairs = zip(ours, theirs, strict=True)
    return of_mean([a - b for a, b in pairs if a is not None and b is not None])
