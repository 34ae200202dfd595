"""Twins: the batched twin of an environment, loaded, and proved equal to it episode by episode before it is used.

A twin is a module with a class BatchedEnvironment, the environment as NumPy over N copies:

    BatchedEnvironment(copies, **parameters)    the environment's own keyword arguments
    reset(rows, random)                         starts an episode in these copies (indices)
    step(actions, random)                       of all copies -> rewards, terminated, truncated, each (copies,)
    observe()                                   (copies, features)
    state(), components()                       name -> (copies, *shape), as in the scalar environment's info
    action_masks()                              (copies, choices), where the design has legality

All chance comes from `random` (draws.py), drawn as the scalar environment draws it: the same distributions with the
same arguments in the same order, for the copies that draw.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kit.contracts.design import EnvDesign, ObservationKind
from kit.contracts.formulas.batches import Batch
from services.trainer.inside.candidate import MakeEnv
from services.trainer.inside.draws import OwnDraws
from services.trainer.inside.faults import TWIN_FILE
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.twin_recorder import TwinBroke, TwinRecorder

MakeTwin = Callable[[int], Any]

Rounds = tuple[tuple[int, int | None], ...]
"""Copies at once, and how many steps they are played; None: to the end."""

ROUNDS: Final[Rounds] = ((64, None), *(((121, 24),) * 16))
FIRST_SEED: Final = 3_000_000  # of the proof's episodes; no training, validation or test has these
WORTH: Final = 50_000  # steps of a training from which a proof is repaid
CLOSE: Final = 1e-6  # of a number's size, or of 1


@dataclass(frozen=True)
class Proof:
    """episodes, steps: that were compared. differs: what, where and how; empty where the twin is equal."""

    episodes: int
    steps: int
    differs: str

    def __str__(self) -> str:
        if self.differs:
            return f"set aside: {self.differs}"
        return f"used: equal to the scalar environment on {self.episodes:,} episodes ({self.steps:,} steps)"


def load_twin(source: str, design: EnvDesign) -> MakeTwin:
    """What makes a twin of so many copies with the design's parameters. TwinBroke where it can't."""
    if design.observation_kind is not ObservationKind.VECTOR:
        raise TwinBroke("the observation is not a vector")
    module = ModuleType("twin")
    module.__file__ = TWIN_FILE
    sys.modules["twin"] = module  # dataclasses and pickling look there
    linecache.cache[TWIN_FILE] = (len(source), None, source.splitlines(keepends=True), TWIN_FILE)
    arguments = {parameter.name: parameter.argument for parameter in design.parameters}
    try:
        exec(compile(source, TWIN_FILE, "exec"), module.__dict__)
        kind = module.__dict__["BatchedEnvironment"]
    except MemoryError:
        raise
    except Exception as problem:
        raise TwinBroke(f"its module can't be used: {type(problem).__name__}: {problem}") from problem

    def make(copies: int) -> Any:
        try:
            return kind(copies, **arguments)
        except Exception as problem:
            raise TwinBroke(f"it can't be made: {type(problem).__name__}: {problem}") from problem

    return make


def prove(
    make: MakeEnv,
    make_twin: MakeTwin,
    design: EnvDesign,
    layout: Layout,
    watched: list[Any],
    rounds: Rounds = ROUNDS,
) -> Proof:
    """Play the same episodes on both, with the same chance and the same actions, and compare every number of theirs.

    watched: gets every recorder as it is made. What the scalar environment does wrong is raised as CandidateBroke.
    """
    episodes = steps = 0
    for number, (copies, most) in enumerate(rounds):
        seeds = range(FIRST_SEED + 1000 * number, FIRST_SEED + 1000 * number + copies)
        try:
            pair = _Pair(make, make_twin, design, layout, list(seeds), watched)
            steps += pair.play(min(most or design.episode.step_limit, design.episode.step_limit))
        except TwinBroke as broke:
            return Proof(episodes, steps, str(broke))
        episodes += copies
    return Proof(episodes, steps, "")


class _Pair:
    """Scalar environments and a twin of as many copies, each copy with the chance of its environment."""

    def __init__(
        self,
        make: MakeEnv,
        make_twin: MakeTwin,
        design: EnvDesign,
        layout: Layout,
        seeds: list[int],
        watched: list[Any],
    ) -> None:
        self._seeds = seeds
        self._layout = layout
        self._masked = design.action.masked
        self._envs = [Recorder(make(), design, layout) for _ in seeds]
        self._scalar = Recorders(self._envs)
        self._twin = TwinRecorder(make_twin(len(seeds)), len(seeds), layout)
        self._draws = OwnDraws(seeds)
        self._space = self._envs[0].action_space
        self._random = np.random.default_rng(seeds[0])
        watched += [*self._envs, self._twin]

    def play(self, most: int) -> int:
        """So many steps at most; how many were compared. Copies whose episodes end play another meanwhile."""
        for env, seed in zip(self._envs, self._seeds, strict=True):
            env.reset(seed=seed)
        self._twin.reset(np.arange(len(self._seeds)), self._draws)
        calm = self._random.random(len(self._seeds)) < 0.5  # these seldom change their action, and get further
        actions = self._drawn()
        for _ in range(most):
            drawn, again = self._drawn(), ~calm | (self._random.random(len(calm)) < 0.1)
            actions = np.where(again.reshape(-1, *[1] * (drawn.ndim - 1)), drawn, actions)
            if self._masked:
                actions = drawn
            ended = np.array([env.step(one)[2:4] for env, one in zip(self._envs, actions, strict=True)], bool)
            _, *ours = self._twin.step(actions, self._draws)
            if not np.array_equal(ended, np.stack(ours, axis=1)):
                where = np.flatnonzero((ended != np.stack(ours, axis=1)).any(axis=1))[0]
                raise TwinBroke(f"an episode ends otherwise, seed {self._seeds[where]}")
            over = np.flatnonzero(ended.any(axis=1))
            for row in over:
                self._envs[row].reset()
            if len(over):
                self._twin.reset(over, self._draws)
        return self._compared()

    def _compared(self) -> int:
        scalar, twin = self._scalar.harvest(), self._twin.harvest()
        order = np.lexsort(
            (scalar.fresh[:, self._layout.step], scalar.fresh[:, self._layout.episode], scalar.environments)
        )
        ours, theirs = twin.fresh, scalar.fresh[order]
        off = np.abs(ours - theirs) > CLOSE * np.maximum(1.0, np.abs(theirs))
        if off.any():
            raise TwinBroke(self._difference(ours, theirs, off, twin.environments))
        return len(ours)

    def _difference(self, ours: Batch, theirs: Batch, off: NDArray[np.bool_], copies: NDArray[np.intp]) -> str:
        row = int(np.flatnonzero(off.any(axis=1))[0])
        columns = np.flatnonzero(off[row])
        column = int(next((at for at in columns if at >= self._layout.state[0].start), columns[0]))  # causes first
        return (
            f"{self._layout.name_of(column)} is {ours[row, column]:.6g} where the scalar environment has "
            f"{theirs[row, column]:.6g}, seed {self._seeds[copies[row]]}, "
            f"step {theirs[row, self._layout.step]:.0f} of the episode"
        )

    def _drawn(self) -> NDArray[Any]:
        """One action of each copy: any that is legal, the ends of a range more often than what lies between."""
        count = len(self._seeds)
        if self._masked:
            return self._legal()
        drawn: NDArray[Any]
        match self._space:
            case spaces.Discrete():
                drawn = self._random.integers(0, self._space.n, count)
            case spaces.MultiDiscrete():
                drawn = self._random.integers(0, self._space.nvec, (count, len(self._space.nvec)))
            case spaces.MultiBinary():
                drawn = self._random.integers(0, 2, (count, *self._space.shape)).astype(np.int8)
            case _:
                share = np.clip(self._random.uniform(-0.3, 1.3, (count, *self._space.shape)), 0, 1)
                drawn = self._space.low + share * (self._space.high - self._space.low)
                drawn = drawn.astype(self._space.dtype)
        return drawn

    def _legal(self) -> NDArray[Any]:
        masks = np.array([env.action_masks() for env in self._envs], bool)
        if not np.array_equal(masks, self._twin.action_masks()):
            raise TwinBroke("action_masks() differs from the scalar environment's")
        widths = [int(self._space.n)] if isinstance(self._space, spaces.Discrete) else list(self._space.nvec)
        chosen = [
            np.where(part, self._random.random(part.shape), -1.0).argmax(axis=1)
            for part in np.split(masks, np.cumsum(widths)[:-1], axis=1)
        ]
        return chosen[0] if isinstance(self._space, spaces.Discrete) else np.stack(chosen, axis=1)
