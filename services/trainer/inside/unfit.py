"""Unfit: what of an environment's answers can't be logged, as findings that name the episode and the step."""

from __future__ import annotations

import numpy as np

from kit.contracts.formulas.batches import Batch
from services.trainer.inside.faults import CandidateBroke, reported
from services.trainer.inside.rows import AT, EPISODE, REWARD, STEP, Layout


def where(episode: float, step: float, at: float) -> str:
    """step: of the episode; at: of all that the environment took. Both count the one that is meant."""
    return f"episode {episode:.0f}, step {step:.0f} of it, step {at:.0f} of this environment"


def endless(limit: int, place: str) -> CandidateBroke:
    return reported(
        "training.never_ended",
        f"the episode goes on after the step limit of {limit}",
        place,
        "Set truncated at the step limit where no ending is true.",
    )


def unusable(problem: Exception, place: str) -> CandidateBroke:
    return reported(
        "training.reported",
        f"what the environment returned doesn't fit its design: {type(problem).__name__}: {problem}",
        place,
        "Return the observation, info['state'] and info['reward_components'] with exactly the design's names.",
    )


def check_finite(rows: Batch, layout: Layout) -> None:
    """Raises CandidateBroke for the first of these rows in which something is not finite."""
    numbers = rows.reshape(-1)
    # One multiplication clears nearly all; the exact look is for what overflows it.
    with np.errstate(over="ignore"):
        squared = numbers.dot(numbers)
    if squared < np.inf or (finite := np.isfinite(rows).all(axis=1)).all():
        return
    row = rows[np.argmin(finite)]
    named = [("the reward", slice(REWARD, REWARD + 1)), ("the observation", layout.observation)]
    named += [(f"the component {p.name}", slice(p.start, p.stop)) for p in layout.components]
    named += [(f"state.{p.name}", slice(p.start, p.stop)) for p in layout.state]
    bad = [name for name, part in named if not np.isfinite(row[part]).all()] or ["the action"]
    raise reported(
        "training.not_finite",
        f"{', '.join(bad)} is not finite",
        where(row[EPISODE], row[STEP], row[AT]),
        "Guard the division, logarithm or overflow that produces it.",
    )
