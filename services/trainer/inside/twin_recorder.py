"""TwinRecorder: every moment of all copies of a batched twin, in the rows that a Recorder writes of one environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kit.contracts.formulas.batches import Batch
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.recorder import Harvested
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


class TwinBroke(Exception):
    """The twin did what no environment may, or not what its scalar one does; the message is a clause."""


class TwinRecorder(Keeping):
    """Wraps the twin: has its methods, and what the trainer asks of recorders. now, before_reset: (copies, width)."""

    KEPT = (
        "_twin", "_steps", "_episode", "_step", "_written", "_from", "_open", "now", "before_reset", "_observations",
        "_components",
    )  # fmt: skip

    def __init__(self, twin: Any, copies: int, layout: Layout) -> None:
        self._twin = twin
        self._layout = layout
        self._copies = np.arange(copies)
        self._steps = 0
        self._episode, self._step = np.full(copies, -1), np.zeros(copies, np.int64)
        self._written: list[Batch] = []
        self._from: list[NDArray[np.intp]] = []
        self._open: tuple[NDArray[np.intp], Batch] = (np.empty(0, np.intp), np.empty((0, layout.width)))
        self.now = np.zeros((copies, layout.width))
        self.before_reset = self.now

    @property
    def moments(self) -> int:
        """Steps and resets so far."""
        return self._steps + int(self._episode.sum())

    def __len__(self) -> int:
        return len(self._copies)

    def reset(self, rows: NDArray[np.intp], random: Any) -> None:
        self._asked("reset", rows, random)
        self._episode[rows] += 1
        self._step[rows] = 0
        block = self._seen()
        block[:, self._layout.action] = block[:, REWARD] = block[:, ENDED] = 0.0
        for part in self._layout.components:
            block[:, part.start] = 0.0
        if len(rows) < len(block):
            self.now = np.where(np.isin(self._copies, rows)[:, None], block, self.before_reset)
        else:
            self.now = block
        self._keep(block[rows], rows)

    def step(self, actions: NDArray[Any], random: Any) -> tuple[Batch, NDArray[np.bool_], NDArray[np.bool_]]:
        rewards, terminated, truncated = self._asked("step", actions, random)
        self._steps += 1
        self._step += 1
        block = self._seen()
        block[:, self._layout.action] = actions.reshape(len(block), -1)
        block[:, REWARD] = rewards
        block[:, ENDED] = np.where(terminated, TERMINATED, np.where(truncated, TRUNCATED, RUNNING))
        for part in self._layout.components:
            block[:, part.start] = self._components[part.name]
        self.now = self.before_reset = block
        self._keep(block, self._copies)
        return np.asarray(rewards, np.float64), np.asarray(terminated, bool), np.asarray(truncated, bool)

    def observe(self) -> Any:
        """As of the latest step or reset."""
        return self._observations

    def action_masks(self) -> NDArray[np.bool_]:
        return np.asarray(self._asked("action_masks"), bool)

    def harvest(self) -> Harvested:
        """As a Recorder's, of all copies one after the other."""
        copies = np.concatenate([self._open[0], *self._from])
        rows = np.concatenate([self._open[1], *self._written])
        # What came is in the order in which it happened; a stable sort by copy keeps each copy's own order.
        order = np.argsort(copies.astype(np.int16), kind="stable")
        copies = copies[order]
        episodes, ended = rows[order, EPISODE], rows[order, ENDED] != RUNNING
        which = copies + len(self._copies) * episodes.astype(np.intp)
        over = np.zeros(which.max(initial=0) + 1, bool)
        over[which[ended]] = True
        complete = over[which]
        running = ~complete & (episodes == self._episode[copies])  # the others were given up in the middle
        fresh = order >= len(self._open[0])
        self._open = copies[running], rows[order[running]]
        self._written, self._from = [], []
        return Harvested(rows[order[complete]], rows[order[fresh]], copies[fresh])

    def _seen(self) -> Batch:
        """Rows with all that the twin tells of the present."""
        layout = self._layout
        self._observations = self._asked("observe")
        self._components = self._asked("components")
        state = self._asked("state")
        block = np.empty((len(self._copies), layout.width))
        try:
            block[:, AT], block[:, EPISODE], block[:, STEP] = self._steps, self._episode, self._step
            block[:, layout.observation] = self._observations
            for part in layout.state:
                block[:, part.start : part.stop] = np.reshape(state[part.name], (len(block), -1))
        except (KeyError, TypeError, ValueError) as problem:
            raise TwinBroke(f"what it tells doesn't fit the design: {type(problem).__name__}: {problem}") from problem
        return block

    def _keep(self, block: Batch, copies: NDArray[np.intp]) -> None:
        if not np.isfinite(block.sum()):
            raise TwinBroke(f"its numbers are not all finite after {self._steps} steps")
        self._written.append(block)
        self._from.append(copies)

    def _asked(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self._twin, method)(*given)
        except MemoryError:
            raise
        except Exception as problem:
            raise TwinBroke(f"{method}() raised {type(problem).__name__}: {str(problem)[:200]}") from problem
