"""Noise: what a noisy observation term adds to its formula, against the spread that the design gives it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.design import ObservationTerm
from kit.contracts.findings import Finding
from kit.contracts.formulas.columns import observe
from services.executor.inside.catalogue import define
from services.executor.inside.groups.frames import Frame, first, frames, number
from services.executor.inside.subject import Subject

NOISE = define(
    "observation.noise",
    proves="A noisy observation term is its formula plus Gaussian noise of the design's spread, anew every step.",
    example="terms = [self.level / 100]  # where the design gives the term noise_std = 0.02",
    remedy="Add self.np_random.normal(0.0, noise_std) to each of the term's numbers in every step, then clip the term.",
)
OUTLIER = 7.0  # of spreads: once in 4e11 numbers
SURE = 5.0  # of standard errors
CLEAR = 5.0  # of spreads from the bounds: there the clipping changes nothing
ENOUGH = 100  # numbers
NEXT_TO_NOTHING = 1e-4  # what rounding to float32 leaves, in spreads squared


def check_noise(subject: Subject) -> Iterator[Finding]:
    """Each number near its formula; of those that no clipping touched, mean and spread."""
    gathered: dict[str, list[np.ndarray]] = {}
    told: set[str] = set()
    for frame in frames(subject):
        expected = observe(frame.program, frame.resting, frame.played.rows)
        position = 0
        for term in frame.program.design.observation:
            part = slice(position, position + term.size)
            position += term.size
            if term.noise_std is None or frame.program.observation[term.name] is None or term.name in told:
                continue
            found, wanted = frame.played.next_observations[:, part], expected[:, part]
            if (finding := _outlier(frame, term, found, wanted)) is not None:
                told.add(term.name)
                yield finding
                continue
            spare = np.minimum(wanted - term.low, term.high - wanted)
            clear = spare > CLEAR * term.noise_std
            gathered.setdefault(term.name, []).append(((found - wanted) / term.noise_std)[clear])
    for term in subject.design.observation if subject.design else ():
        noise = np.concatenate(gathered.get(term.name, [np.empty(0)]))
        if term.name not in told and len(noise) >= ENOUGH:
            yield from _spread(term, noise)


def _outlier(frame: Frame, term: ObservationTerm, found: np.ndarray, wanted: np.ndarray) -> Finding | None:
    assert term.noise_std is not None
    far = (np.abs(found - wanted) > OUTLIER * term.noise_std + 1e-5).any(axis=1)
    if not far.any():
        return None
    row = first(far)
    return NOISE.error(
        f"observation term {term.name} is {number(found[row])}, its formula gives {number(wanted[row])}: further off "
        f"than noise of {term.noise_std:g} explains",
        evidence=f"{frame.where(row)}; {int(far.sum())} rows differ",
    )


def _spread(term: ObservationTerm, noise: np.ndarray) -> Iterator[Finding]:
    """noise: in units of noise_std. The variance of a sample has a standard error of sqrt(2 / n)."""
    count, mean, variance = len(noise), float(noise.mean()), float(noise.var())
    evidence = f"{count} numbers that no clipping touched"
    assert term.noise_std is not None
    if abs(variance - 1.0) > SURE * (2.0 / count) ** 0.5:
        spread = variance**0.5 * term.noise_std
        has = "no noise" if variance < NEXT_TO_NOTHING else f"noise of spread {spread:.2g}"
        message = f"observation term {term.name} has {has}, the design says {term.noise_std:g}"
        yield NOISE.error(message, evidence=evidence)
    elif abs(mean) > SURE / count**0.5:
        message = f"observation term {term.name} has noise of mean {mean * term.noise_std:.2g}, the design says 0"
        yield NOISE.error(message, evidence=evidence)
