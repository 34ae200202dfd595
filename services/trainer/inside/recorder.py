"""Recorder: the wrapper next to the candidate that writes every moment into columns and guards our code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from kit.contracts.design import ActionKind, EnvDesign, ObservationKind
from kit.contracts.formulas.batches import Batch
from kit.contracts.formulas.columns import as_env_action
from services.trainer.inside.faults import CandidateBroke, raised, reported
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.packing import NUMBER, UNUSABLE, Runs
from services.trainer.inside.randomising import Draws, Randomised, flat
from services.trainer.inside.rows import (
    EPISODE,
    REWARD,
    RUNNING,
    STEP,
    TERMINATED,
    TRUNCATED,
    Layout,
)

_FIXED: Final = Struct("5d").pack_into  # AT, EPISODE, STEP, REWARD, ENDED


@dataclass(frozen=True)
class Harvested:
    """complete: the rows of all episodes that ended, from their resets; fresh: all rows that no harvest had before,
    with the number of the environment of each."""

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
        taken = [recorder.harvest() for recorder in self._each]
        numbers = np.repeat(np.arange(len(taken)), [len(fresh) for _, fresh in taken])
        return Harvested(np.concatenate([c for c, _ in taken]), np.concatenate([f for _, f in taken]), numbers)


class Recorder(Keeping, gymnasium.Wrapper):  # type: ignore[misc]
    """One environment. Its rows since the last harvest stand in one preallocated block.

    seed: every reset starts this episode again (evaluation); None: the caller seeds (training).
    draws: the parameters it was made with, where they are not the design's own.
    What the caller gets as info is small: a vector of environments copies it deeply at every step.
    """

    KEPT = ("env", "_used", "_open", "_fresh", "_steps", "_episode", "_running", "_kept", "_last_at")

    def __init__(
        self, env: gymnasium.Env, design: EnvDesign, layout: Layout, seed: int | None = None, draws: Draws | None = None
    ) -> None:
        super().__init__(env)
        self._design = design
        self._layout = layout
        self._seed = seed
        self._limit = design.episode.step_limit
        self._plain = design.observation_kind is ObservationKind.VECTOR
        self._state, self._components = Runs(layout.state), Runs(layout.components)
        self._arrays = [(p.name, slice(p.start, p.stop)) for p in layout.state if p.shape]
        self._claimed = slice(layout.components[0].start, layout.components[-1].stop)
        self._discrete = design.action.kind is ActionKind.DISCRETE
        self._made_with = flat(design, draws or {})
        self._rows = np.zeros((design.episode.step_limit + 1024, layout.width))
        self._memory = self._rows.data.cast("B")
        self._used = 0  # rows in the block
        self._open = 0  # where the running episode starts in it
        self._fresh = 0  # where the rows start that no harvest has seen
        self._steps = 0
        self._episode = -1
        self._running = False
        self._kept, self._last_at = self._rows[0], -1  # the row of the last step, and where it stands if it still does

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if self._running:  # given up in the middle, so it is nobody's episode
            self._used = self._open
            self._fresh = min(self._fresh, self._used)
        self._running = True
        self._open = self._used
        self._episode += 1
        try:
            observation, info = self.env.reset(seed=self._seed if self._seed is not None else seed, options=options)
        except (MemoryError, CandidateBroke):
            raise
        except BaseException as problem:
            raise raised(problem, "reset", self._where()) from problem
        at = self._new_row()
        self._fill(at, None, 0.0, RUNNING, observation, info)
        return observation, {}

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        try:
            given = int(action) if self._discrete else as_env_action(self._design, action)
            observation, reward, terminated, truncated, info = self.env.step(given)
        except MemoryError:
            raise
        except BaseException as problem:
            raise raised(problem, "step", f"{self._where()}, action {action}") from problem
        self._steps += 1
        at = self._new_row()
        self._fill(
            at, action, reward, TERMINATED if terminated else TRUNCATED if truncated else RUNNING, observation, info
        )
        self._last_at = at
        if terminated or truncated:
            self._running = False
        elif at - self._open >= self._limit:
            raise self._endless()
        return observation, reward, terminated, truncated, {}

    def action_masks(self) -> np.ndarray:
        """What the environment says is legal now, as sb3-contrib lays it out."""
        try:
            return np.asarray(self.env.get_wrapper_attr("action_masks")(), dtype=bool)
        except MemoryError:
            raise
        except BaseException as problem:
            raise raised(problem, "action_masks", self._where()) from problem

    @property
    def moments(self) -> int:
        """Steps and resets so far."""
        return self._steps + self._episode

    @property
    def now(self) -> Batch:
        """The row of the latest moment, reset included."""
        row: Batch = self._rows[self._used - 1]
        return row

    @property
    def before_reset(self) -> Batch:
        """The row of the last step, whatever was reset since."""
        row: Batch = self._kept if self._last_at < 0 else self._rows[self._last_at]
        return row

    def harvest(self) -> tuple[Batch, Batch]:
        """The rows of all episodes that ended, and all rows not harvested before; both are the caller's."""
        ended = self._used if not self._running else self._open
        complete, fresh = self._rows[:ended].copy(), self._rows[self._fresh : self._used].copy()
        left = self._used - ended
        self._kept = self.before_reset.copy()
        self._last_at = -1
        self._rows[:left] = self._rows[ended : self._used].copy()
        self._used, self._open, self._fresh = left, 0, left
        return complete, fresh

    def kept(self) -> dict[str, Any]:
        return {**super().kept(), "rows": self._rows[: self._used]}

    def take_up(self, kept: dict[str, Any]) -> None:
        super().take_up(kept)
        self._rows = np.concatenate([kept["rows"], np.zeros_like(self._rows)])
        self._memory = self._rows.data.cast("B")

    def _new_row(self) -> int:
        if self._used == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._memory = self._rows.data.cast("B")
        self._used += 1
        return self._used - 1

    def _fill(self, at: int, action: Any, reward: Any, ended: float, observation: Any, info: dict[str, Any]) -> None:
        """action: None at a reset, where action, reward and components are zero."""
        layout, row = self._layout, self._rows[at]
        start = NUMBER * layout.width * at
        try:
            _FIXED(self._memory, start, self._steps, self._episode, at - self._open, reward, ended)
            row[layout.action] = 0.0 if action is None else action
            if self._plain:
                row[layout.observation] = observation
            else:
                self._fill_observation(row, observation)
            state = info["state"]
            self._state.write(self._memory, start, state)
            for name, part in self._arrays:
                row[part] = np.asarray(state[name]).ravel()
            if action is None:
                row[self._claimed] = 0.0
            else:
                self._components.write(self._memory, start, info["reward_components"])
            if len(self._made_with):
                row[layout.drawn] = self.env.drawn if isinstance(self.env, Randomised) else self._made_with
        except UNUSABLE as problem:
            raise self._unusable(problem) from problem
        # One multiplication finds nearly all that is not finite; the exact look is for the rest.
        if not row.dot(row) < np.inf and not np.isfinite(row).all():
            raise self._not_finite(row)

    def _fill_observation(self, row: Batch, observation: Any) -> None:
        """All but the images, which are computed again from the state where they are needed."""
        at = self._layout.observation.start
        for term in self._design.observation:
            if term.image is None:
                row[at : at + term.size] = observation[term.name]
                at += term.size

    def _where(self) -> str:
        step = self._used - self._open
        return f"episode {self._episode}, step {step} of it, step {self._steps + 1} of this environment"

    def _endless(self) -> CandidateBroke:
        return reported(
            "training.never_ended",
            f"the episode goes on after the step limit of {self._limit}",
            self._where(),
            "Set truncated at the step limit where no ending is true.",
        )

    def _unusable(self, problem: Exception) -> CandidateBroke:
        return reported(
            "training.reported",
            f"what the environment returned doesn't fit its design: {type(problem).__name__}: {problem}",
            self._where(),
            "Return the observation, info['state'] and info['reward_components'] with exactly the design's names.",
        )

    def _not_finite(self, row: Batch) -> CandidateBroke:
        layout = self._layout
        named = [("the reward", slice(REWARD, REWARD + 1)), ("the observation", layout.observation)]
        named += [(f"the component {p.name}", slice(p.start, p.stop)) for p in layout.components]
        named += [(f"state.{p.name}", slice(p.start, p.stop)) for p in layout.state]
        bad = [name for name, part in named if not np.isfinite(row[part]).all()] or ["the action"]
        return reported(
            "training.not_finite",
            f"{', '.join(bad)} is not finite",
            self._where(),
            "Guard the division, logarithm or overflow that produces it.",
        )
