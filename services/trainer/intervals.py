"""Bootstrap intervals over episodes, seeded, so that the same numbers give the same verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kit.contracts.outcomes import Interval

RESAMPLES: Final = 4000
TAIL: Final = 2.5  # percent on either side: a 95 % interval
_SEED: Final = 2_718_281
_TRIMMED: Final = 0.25  # of the values at either end, for the interquartile mean

Floats = NDArray[np.float64]
Values = Sequence[float | None]


def of_mean(values: Values) -> Interval | None:
    """The mean of the values that exist, and where it would lie with other episodes; None where none exists."""
    return _of([values], lambda sample: sample.mean(axis=-1))


def of_difference(ours: Values, theirs: Values) -> Interval | None:
    """ours - theirs, episode by episode on the same seeds: what the seeds share cancels."""
    pairs = zip(ours, theirs, strict=True)
    return of_mean([a - b for a, b in pairs if a is not None and b is not None])


def of_iqm(strata: Sequence[Values]) -> Interval | None:
    """The interquartile mean, by a stratified bootstrap: episodes are drawn again within each stratum (training seed).

    Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical Precipice" (NeurIPS 2021), and their
    library rliable: robust to a few odd episodes, and tighter than the median.
    """
    return _of(strata, _iqm)


def _iqm(sample: Floats) -> Floats:
    """Of the last axis: the mean of what is left without the lowest and the highest quarter."""
    count = sample.shape[-1]
    cut = int(_TRIMMED * count)
    middle: Floats = np.sort(sample, axis=-1)[..., cut : count - cut].mean(axis=-1)
    return middle


def _of(strata: Sequence[Values], statistic: Callable[[Floats], Floats]) -> Interval | None:
    known = [np.array([value for value in values if value is not None], dtype=np.float64) for values in strata]
    samples = [sample for sample in known if len(sample)]
    if not samples:
        return None
    whole = np.concatenate(samples)
    value = float(statistic(whole))
    if len(whole) == 1 or float(np.ptp(whole)) == 0.0:
        return Interval(mean=value, low=value, high=value)
    generator = np.random.default_rng(_SEED)
    drawn = [sample[generator.integers(len(sample), size=(RESAMPLES, len(sample)))] for sample in samples]
    low, high = np.percentile(statistic(np.concatenate(drawn, axis=1)), [TAIL, 100 - TAIL])
    return Interval(mean=value, low=float(low), high=float(high))
