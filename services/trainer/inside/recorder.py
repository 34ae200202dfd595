"""Recorder: the wrapper next to the candidate that writes every moment into columns and guards our code."""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import methodcaller
from typing import Any, Final, SupportsFloat

import gymnasium
import numpy as np

from kit.contracts.design import ActionKind, EnvDesign, ObservationKind
from kit.contracts.formulas.batches import Batch
from services.trainer.inside.faults import CandidateBroke, raised
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.packing import NUMBER, UNUSABLE, Packing
from services.trainer.inside.randomising import Draws, Randomised, flat
from services.trainer.inside.rows import RUNNING, TERMINATED, TRUNCATED, Layout
from services.trainer.inside.unfit import check_finite, endless, unusable, where

_GIVEN: Final[dict[ActionKind, Callable[[Any], Any]]] = {
    ActionKind.DISCRETE: int,
    ActionKind.MULTI_DISCRETE: methodcaller("astype", np.int64),
    ActionKind.MULTI_BINARY: methodcaller("astype", np.int8),
    ActionKind.BOX: methodcaller("astype", np.float32),
}
"""An action as step() takes it: the environment's own copy."""


class Recorder(Keeping, gymnasium.Wrapper):  # type: ignore[misc]
    """One environment. Its rows since the last harvest stand in one preallocated block.

    seed: every reset starts this episode again (evaluation); None: the caller seeds (training).
    draws: the parameters it was made with, where they are not the design's own.
    What the caller gets as info is small: a vector of environments copies it deeply at every step.
    Numbers that are not finite are found by check(), many steps at once: at the end of a rollout, before a network
    is trained on them, and as soon as a vector sees them in an observation, before a network acts on it.
    """

    KEPT = ("env", "_used", "_open", "_fresh", "_steps", "_episode", "_running", "_kept", "_last_at", "_checked")

    def __init__(
        self, env: gymnasium.Env, design: EnvDesign, layout: Layout, seed: int | None = None, draws: Draws | None = None
    ) -> None:
        super().__init__(env)
        self._design = design
        self._layout = layout
        self._seed = seed
        self._limit = design.episode.step_limit
        self._plain = design.observation_kind is ObservationKind.VECTOR
        self._look_now = design.observation_kind is ObservationKind.DICT  # at those no vector looks
        self._discrete = design.action.kind is ActionKind.DISCRETE
        self._given = _GIVEN[design.action.kind]
        self._pack_with(Packing(layout))
        self._made_with = flat(design, draws or {})
        self._row_bytes = NUMBER * layout.width
        self._use(np.zeros((design.episode.step_limit + 1024, layout.width)))
        self._used = 0  # rows in the block
        self._open = 0  # where the running episode starts in it
        self._fresh = 0  # where the rows start that no harvest has seen
        self._checked = 0  # where the rows start that may not be finite
        self._steps = 0
        self._episode = -1
        self._running = False
        self._kept, self._last_at = self._rows[0], -1  # the row of the last step, and where it stands if it still does

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if self._running:  # given up in the middle, so it is nobody's episode
            self.check()
            self._used = self._checked = self._open
            self._fresh = min(self._fresh, self._used)
        self._running = True
        self._open = self._used
        self._episode += 1
        try:
            observation, info = self.env.reset(seed=self._seed if self._seed is not None else seed, options=options)
        except (MemoryError, CandidateBroke):
            raise
        except BaseException as problem:
            self.check()
            raise raised(problem, "reset", self._where()) from problem
        self._fill(self._steps, None, 0.0, RUNNING, observation, info)
        return observation, {}

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        try:
            given = self._given(action)
            observation, reward, terminated, truncated, info = self.env.step(given)
        except MemoryError:
            raise
        except BaseException as problem:
            self.check()  # what was not finite before may be the cause
            raise raised(problem, "step", f"{self._where()}, action {action}") from problem
        acted = (given,) if self._discrete else action.tolist()
        ended = TERMINATED if terminated else TRUNCATED if truncated else RUNNING
        self._fill(self._steps + 1, acted, reward, ended, observation, info)
        self._steps += 1
        self._last_at = at = self._used - 1
        if ended:
            self._running = False
        elif at - self._open >= self._limit:
            self.check()
            raise endless(self._limit, where(self._episode, at - self._open, self._steps))
        return observation, reward, terminated, truncated, {}

    def action_masks(self) -> np.ndarray:
        """What the environment says is legal now, as sb3-contrib lays it out."""
        try:
            return np.asarray(self.env.get_wrapper_attr("action_masks")(), dtype=bool)
        except MemoryError:
            raise
        except BaseException as problem:
            self.check()
            raise raised(problem, "action_masks", self._where()) from problem

    @property
    def moments(self) -> int:
        """Steps and resets so far."""
        return self._steps + self._episode

    @property
    def now(self) -> Batch:
        """The row of the latest moment, reset included."""
        self.check()
        row: Batch = self._rows[self._used - 1]
        return row

    @property
    def before_reset(self) -> Batch:
        """The row of the last step, whatever was reset since."""
        self.check()
        row: Batch = self._kept if self._last_at < 0 else self._rows[self._last_at]
        return row

    def harvest(self) -> tuple[Batch, Batch]:
        """The rows of all episodes that ended, and all rows not harvested before; both are the caller's."""
        self.check()
        complete, fresh = (rows.copy() for rows in self.rows())
        self.clear()
        return complete, fresh

    def rows(self) -> tuple[Batch, Batch]:
        """What harvest() gives, where it stands: only until clear() or a step."""
        return self._rows[: self._ended], self._rows[self._fresh : self._used]

    def clear(self) -> None:
        """Forget the episodes that ended, and that the others' rows are fresh."""
        ended = self._ended
        left = self._used - ended
        self._kept = self.before_reset.copy()
        self._last_at = -1
        self._rows[:left] = self._rows[ended : self._used].copy()
        self._used, self._open, self._fresh, self._checked = left, 0, left, left

    def check(self) -> None:
        """Raises CandidateBroke where what came since the last look is not finite."""
        if self._checked < self._used:
            came = self._rows[self._checked : self._used]
            self._checked = self._used
            self._packing.settle(came)
            check_finite(came, self._layout)

    def kept(self) -> dict[str, Any]:
        self.check()
        return {**super().kept(), "rows": self._rows[: self._used]}

    def take_up(self, kept: dict[str, Any]) -> None:
        super().take_up(kept)
        self._use(np.concatenate([kept["rows"], np.zeros_like(self._rows)]))

    @property
    def _ended(self) -> int:
        return self._open if self._running else self._used

    def _use(self, rows: Batch) -> None:
        """rows: the block, from now on."""
        self._rows, self._room, self._memory = rows, len(rows), rows.data.cast("B")
        self._seen, self._drawn = rows[:, self._layout.observation], rows[:, self._layout.drawn]
        self._arrays = [(p.name, rows[:, p.start : p.stop]) for p in self._layout.state if p.shape]

    def _fill(self, at: int, acted: Any, reward: Any, ended: float, observation: Any, info: dict[str, Any]) -> None:
        """A new row. at: steps of all. acted: None at a reset, where action, reward and components are zero."""
        row = self._used
        if row == self._room:
            self._use(np.concatenate([self._rows, np.zeros_like(self._rows)]))
        try:
            state = info["state"]
            if acted is None:
                acted, claimed = self._packing.no_action, self._packing.no_components
            else:
                claimed = self._components(info["reward_components"])
            fixed = (at, self._episode, row - self._open, reward, ended)
            numbers = (*fixed, *acted, *claimed, *self._state(state))
            try:
                self._pack(self._memory, self._row_bytes * row, *numbers)
            except (struct.error, TypeError):
                self._pack_slowly(row, numbers, reward, info)
            if self._plain:
                self._seen[row] = observation
            else:
                self._fill_observation(self._rows[row], observation)
            for name, column in self._arrays:
                column[row] = np.asarray(state[name]).ravel()
            if len(self._made_with):
                self._drawn[row] = self.env.drawn if isinstance(self.env, Randomised) else self._made_with
        except UNUSABLE as problem:
            self.check()
            raise unusable(problem, self._where()) from problem
        self._used = row + 1
        if self._look_now:
            self.check()

    def _pack_with(self, packing: Packing) -> None:
        self._packing = packing
        self._pack, self._components, self._state = packing.pack, packing.components, packing.state

    def _pack_slowly(self, row: int, numbers: tuple[Any, ...], reward: Any, info: dict[str, Any]) -> None:
        """From now on, since there is something that is not of its declared kind; TypeError where it is no number."""
        self.check()
        self._pack_with(Packing(self._layout, whole=False))
        try:
            self._pack(self._memory, self._row_bytes * row, *numbers)
        except (struct.error, TypeError):
            raise TypeError(self._packing.no_number(reward, info.get("reward_components"), info["state"])) from None

    def _fill_observation(self, row: Batch, observation: Any) -> None:
        """All but the images, which are computed again from the state where they are needed."""
        at = self._layout.observation.start
        for term in self._design.observation:
            if term.image is None:
                row[at : at + term.size] = observation[term.name]
                at += term.size

    def _where(self) -> str:
        """Of the moment that is not in a row yet."""
        return where(self._episode, self._used - self._open, self._steps + 1)
