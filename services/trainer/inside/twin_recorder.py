"""TwinRecorder: every moment of all copies of a batched twin, in the rows that a Recorder writes of one environment."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kit.contracts.formulas.batches import Batch
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.recorders import Harvested
from services.trainer.inside.rows import (
    AT,
    ENDED,
    EPISODE,
    REWARD,
    RUNNING,
    STEP,
    TERMINATED,
    TRUNCATED,
    Layout,
)

_UNFIT: Final = (KeyError, TypeError, ValueError, IndexError)


class TwinBroke(Exception):
    """The twin did what no environment may, or not what its scalar one does; the message is a clause."""


def _unfit(problem: Exception) -> TwinBroke:
    return TwinBroke(f"what it tells doesn't fit the design: {type(problem).__name__}: {problem}")


class TwinRecorder(Keeping):
    """Wraps the twin: has its methods, and what the trainer asks of recorders. now, before_reset: (copies, width)."""

    KEPT = ("_twin", "_steps", "_episode", "_step", "_written", "_whose", "_last", "_again", "_observations")

    def __init__(self, twin: Any, copies: int, layout: Layout) -> None:
        self._twin = twin
        self._layout = layout
        self._copies = np.arange(copies)
        self._sight = layout.observation.stop - layout.observation.start
        self._steps = 0
        self._episode, self._step = np.full(copies, -1), np.zeros(copies, np.int64)
        # What happened, in its order, after the rows that the last harvest left. A row of the log is a column here: so
        # what the twin tells of all copies at once goes to places side by side.
        self._written: list[Batch] = [np.empty((layout.width, 0))]
        self._whose: list[NDArray[np.intp]] = [np.empty(0, np.intp)]  # the copy of each
        self._last = np.zeros((layout.width, copies))  # of the last step
        self._again: tuple[NDArray[np.intp], Batch] | None = None  # the copies that were reset since, and theirs

    @property
    def moments(self) -> int:
        """Steps and resets so far."""
        return self._steps + int(self._episode.sum())

    def __len__(self) -> int:
        return len(self._copies)

    @property
    def before_reset(self) -> Batch:
        """The rows of the last step, whatever was reset since."""
        return self._last.T

    @property
    def now(self) -> Batch:
        """The rows of the latest moment, resets included."""
        if self._again is None:
            return self.before_reset
        rows, block = self._again
        now = self.before_reset.copy()
        now[rows] = block.T
        return now

    def reset(self, rows: NDArray[np.intp], random: Any) -> None:
        self._asked("reset", rows, random)
        self._episode[rows] += 1
        self._step[rows] = 0
        block = self._seen(rows)
        block[self._layout.action] = block[REWARD] = block[ENDED] = 0.0
        for part in self._layout.components:
            block[part.start] = 0.0
        self._again = rows, block
        self._keep(block, rows)

    def step(self, actions: NDArray[Any], random: Any) -> tuple[Batch, NDArray[np.bool_], NDArray[np.bool_]]:
        rewards, terminated, truncated = self._asked("step", actions, random)
        self._steps += 1
        self._step += 1
        block = self._seen(None)
        components = self._asked("components")
        try:
            block[self._layout.action] = actions.reshape(len(self._copies), -1).T
            block[REWARD] = rewards
            block[ENDED] = np.where(terminated, TERMINATED, np.where(truncated, TRUNCATED, RUNNING))
            for part in self._layout.components:
                block[part.start] = np.reshape(components[part.name], len(self._copies))
        except _UNFIT as problem:
            raise _unfit(problem) from problem
        self._last, self._again = block, None
        self._keep(block, self._copies)
        return np.asarray(rewards, np.float64), np.asarray(terminated, bool), np.asarray(truncated, bool)

    def observe(self) -> Any:
        """As of the latest step or reset."""
        return self._observations

    def action_masks(self) -> NDArray[np.bool_]:
        return np.asarray(self._asked("action_masks"), bool)

    def check(self) -> None:
        """Nothing is left to find: every step was looked at."""

    def harvest(self) -> Harvested:
        """As a Recorder's, of all copies one after the other."""
        block, whose = np.concatenate(self._written, axis=1), np.concatenate(self._whose)
        order = np.argsort(whose.astype(np.int16), kind="stable")  # which keeps each copy's own order
        copies = whose[order]
        episodes, ended = block[EPISODE, order], block[ENDED, order] != RUNNING
        which = copies + len(self._copies) * episodes.astype(np.intp)
        over = np.zeros(which.max(initial=0) + 1, bool)
        over[which[ended]] = True
        complete = over[which]
        running = ~complete & (episodes == self._episode[copies])  # the others were given up in the middle
        fresh = order >= len(self._whose[0])
        harvested = Harvested(
            np.take(block, order[complete], axis=1).T, np.take(block, order[fresh], axis=1).T, copies[fresh]
        )
        self._written, self._whose = [np.take(block, order[running], axis=1)], [copies[running]]
        return harvested

    def _seen(self, rows: NDArray[np.intp] | None) -> Batch:
        """(width, rows): all that the twin tells of the present, of these copies. None: of all."""
        layout, copies = self._layout, len(self._copies)
        chosen = slice(None) if rows is None else rows
        self._observations = self._asked("observe")
        state = self._asked("state")
        block = np.empty((layout.width, copies if rows is None else len(rows)))
        try:
            block[AT], block[EPISODE], block[STEP] = self._steps, self._episode[chosen], self._step[chosen]
            block[layout.observation] = np.reshape(self._observations, (copies, self._sight))[chosen].T
            for part in layout.state:
                told = np.asarray(state[part.name])
                if part.shape:
                    block[part.start : part.stop] = told.reshape(copies, part.stop - part.start)[chosen].T
                else:
                    block[part.start] = told.reshape(copies)[chosen]
        except _UNFIT as problem:
            raise _unfit(problem) from problem
        return block

    def _keep(self, block: Batch, copies: NDArray[np.intp]) -> None:
        if not np.isfinite(block.sum()):
            raise TwinBroke(f"its numbers are not all finite after {self._steps} steps")
        self._written.append(block)
        self._whose.append(copies)

    def _asked(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self._twin, method)(*given)
        except MemoryError:
            raise
        except Exception as problem:
            raise TwinBroke(f"{method}() raised {type(problem).__name__}: {str(problem)[:200]}") from problem
