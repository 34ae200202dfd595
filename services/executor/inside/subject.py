"""The subject of a check: the source, its design if it has one, and what earlier groups have learnt about it."""

from __future__ import annotations

import ast
import hashlib
import resource
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kit.contracts.design import ActionKind, EnvDesign
from kit.contracts.formulas import Program
from kit.inside.candidate import Candidate, LoadedClass, Note, Space, Trajectories, Trouble
from services.executor.inside.starving import Account

PATIENCE_S = 5.0  # for one request; a batch of a hundred steps is one


def cpu_seconds() -> float:
    """What this process and its ended children have computed so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(spent.ru_utime + spent.ru_stime for spent in used)


class Unusable(Exception):
    """The candidate can't even be loaded and constructed where it could before; the group ends here."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(str(trouble))
        self.trouble = trouble


@dataclass(frozen=True)
class Climb:
    """An episode in which every step took what paid most at once: its rewards, and how it ended, if it did."""

    rewards: list[float]
    terminated: bool
    truncated: bool


class CannotSay(Exception):
    """A check lacks what it rests on; its group is skipped, visibly."""


@dataclass
class Subject:
    """What all checks read. Groups fill in what they learn, in the order they run.

    observation, action: known once the group "spaces" has run. step_s: how long a step takes, roughly.
    played, noted: trajectories by policy, and what the code did besides, from the group "bounds". climbs: from the
    group "incentives".
    """

    source: str
    seed: int = 0
    design: EnvDesign | None = None
    program: Program | None = None
    class_name: str | None = None
    tree: ast.Module | None = None
    loaded: LoadedClass | None = None
    observation: Space = field(default_factory=lambda: Space("missing"))
    action: Space = field(default_factory=lambda: Space("missing"))
    step_s: float = 0.0
    episodes: int = 0
    steps: int = 0
    played: dict[str, Trajectories] = field(default_factory=dict)
    climbs: list[Climb] = field(default_factory=list)
    noted: tuple[Note, ...] = ()
    attributes: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    began_cpu_s: float = field(default_factory=cpu_seconds)
    account: Account = field(default_factory=Account)
    _lines: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)

    @property
    def kwargs(self) -> dict[str, object]:
        """What the constructor is called with: the design's parameters."""
        return {p.name: p.argument for p in self.design.parameters} if self.design else {}

    @property
    def step_limit(self) -> int | None:
        return self.design.episode.step_limit if self.design else None

    @property
    def form(self) -> str:
        """How a row of numbers becomes an action."""
        if self.design is not None and self.design.action.kind is ActionKind.BOX:
            return "float32"
        return self.action.form

    @property
    def masked(self) -> bool:
        return self.design is not None and self.design.action.masked

    def affordable(self, steps: int) -> int:
        """How many of `steps` steps a group may take, for a candidate that is slow."""
        if self.step_s <= 0.001:
            return steps
        return max(3, int(steps * 0.001 / self.step_s))

    def rng(self, purpose: str) -> np.random.Generator:
        """A generator of one's own, so that adding a check does not change what the others see."""
        digest = hashlib.sha256(f"{self.seed}:{purpose}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:8], "big"))

    def start(
        self,
        *,
        apart: bool = False,
        global_seed: int = 0,
        make: bool = True,
        pace: float = 1.0,
        kwargs: Mapping[str, object] | None = None,
    ) -> Candidate:
        """A process with the candidate loaded and instance 0 made; Unusable where that fails.

        pace: how many times as fast its clocks run; with any other than 1 all its surroundings are others.
        """
        candidate = Candidate.start_apart(17, PATIENCE_S) if apart else Candidate.start(PATIENCE_S)
        loaded = candidate.load(self.source, self.class_name, global_seed, pace)
        trouble = loaded if not isinstance(loaded, LoadedClass) else None
        if trouble is None and make:
            trouble = candidate.make(0, self.kwargs if kwargs is None else kwargs)
        if trouble is not None:
            candidate.end()
            raise Unusable(trouble)
        return candidate

    @property
    def owns_step(self) -> bool:
        """Whether step() stands in this source; what a wrapper of somebody else's can't change is for its caller."""
        return self.line_of("step") is not None

    def line_of(self, method: str) -> int | None:
        """Where the class defines `method`."""
        return self._lines_of(method)[0]

    def line_of_return(self, method: str) -> int | None:
        """The last `return` of `method`: where its values are put together."""
        return self._lines_of(method)[1]

    def _lines_of(self, method: str) -> tuple[int | None, int | None]:
        """Both; looked up once, since every step of a walk asks for them."""
        if self.tree is None:
            return None, None
        if method not in self._lines:
            self._lines[method] = _lines_in(self.tree, method)
        return self._lines[method]


def _lines_in(tree: ast.Module, method: str) -> tuple[int | None, int | None]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == method:
            returns = [inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.Return)]
            return node.lineno, max(returns, default=node.lineno)
    return None, None
