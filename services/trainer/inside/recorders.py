"""Recorders: those of all environments of a vector as one, and what a harvest of them is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kit.contracts.formulas.batches import Batch
from services.trainer.inside.randomising import Draws, Randomised
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.rows import EPISODE, STEP


@dataclass(frozen=True)
class Harvested:
    """complete: the rows of all episodes that ended, from their resets; fresh: all rows that no harvest had before,
    with the number of the environment of each. In memory a column's numbers are neighbours."""

    complete: Batch
    fresh: Batch
    environments: NDArray[np.intp]


def first_episodes(complete: Batch) -> Batch:
    """Of each environment: those that ended sooner than the longest go on playing, and their rows are harvested too."""
    episodes = np.cumsum(complete[:, STEP] == 0)
    starts = np.flatnonzero(complete[:, STEP] == 0)
    numbers = complete[starts, EPISODE]
    # Rows come environment after environment, and the episodes of each by their numbers.
    first = np.append(True, numbers[1:] <= numbers[:-1])
    chosen: Batch = complete[first[episodes - 1]]
    return chosen


class Recorders:
    """Those of a vector of scalar environments, as one. now, before_reset: (environments, width)."""

    def __init__(self, each: Sequence[Recorder]) -> None:
        self._each = each

    def __len__(self) -> int:
        return len(self._each)

    @property
    def now(self) -> Batch:
        return np.stack([recorder.now for recorder in self._each])

    @property
    def before_reset(self) -> Batch:
        return np.stack([recorder.before_reset for recorder in self._each])

    def fix(self, draws: Draws) -> None:
        """Those that are randomised have these parameters from their next reset on."""
        for recorder in self._each:
            if isinstance(recorder.env, Randomised):
                recorder.env.fixed = draws

    def harvest(self) -> Harvested:
        self.check()
        taken = [recorder.rows() for recorder in self._each]
        harvested = Harvested(
            _by_column([complete for complete, _ in taken]),
            _by_column([fresh for _, fresh in taken]),
            np.repeat(np.arange(len(taken)), [len(fresh) for _, fresh in taken]),
        )
        for recorder in self._each:
            recorder.clear()
        return harvested

    def check(self) -> None:
        """Raises CandidateBroke where what came since the last look is not finite."""
        for recorder in self._each:
            recorder.check()


def _by_column(blocks: list[Batch]) -> Batch:
    """One after the other, copied so that each column's numbers are neighbours: all that follows works by columns."""
    together = np.empty((blocks[0].shape[1], sum(map(len, blocks))))
    at = 0
    for block in blocks:
        together[:, at : at + len(block)] = block.T
        at += len(block)
    return together.T
