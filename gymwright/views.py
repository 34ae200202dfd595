"""What the client hands out: frozen records of runs, events and artifacts.

An event's detail is one of the generated messages of gymwright.v1, so that `match event.detail` works.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from gymwright.errors import RequestWrong
from gymwright.v1 import findings_pb2, outcomes_pb2, run_pb2

Detail: TypeAlias = (
    run_pb2.DesignWritten
    | run_pb2.CodeWritten
    | findings_pb2.Finding
    | findings_pb2.CheckReport
    | run_pb2.FixStarted
    | run_pb2.TrainingProgress
    | outcomes_pb2.TrainOutcome
    | run_pb2.RunEnded
    | run_pb2.TextWritten
    | run_pb2.Usage
    | run_pb2.DesignReviewed
)


class RunState(StrEnum):
    """-ING while passing, -ED when at rest. UNKNOWN: a state that this version has no word for."""

    UNKNOWN = "UNKNOWN"
    STARTING = "STARTING"
    DESIGNING = "DESIGNING"
    CODING = "CODING"
    CHECKING = "CHECKING"
    TRAINING = "TRAINING"
    REPORTING = "REPORTING"
    CANCELLING = "CANCELLING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    ASKING = "ASKING"  # waits for the answer to the designer's question
    REVIEWING = "REVIEWING"  # waits for the user to accept or edit the design
    ADVISED = "ADVISED"  # at rest: another tool serves better

    @property
    def at_rest(self) -> bool:
        return self in (RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.ADVISED)

    @property
    def waits(self) -> bool:
        """Nothing goes on until the user says something."""
        return self in (RunState.ASKING, RunState.REVIEWING)

    @classmethod
    def of(cls, value: run_pb2.RunState.ValueType) -> RunState:
        """The state of a message."""
        name = run_pb2.RunState.Name(value) if value in run_pb2.RunState.values() else ""
        return cls.__members__.get(name.removeprefix("RUN_STATE_"), cls.UNKNOWN)


class Verdict(StrEnum):
    """What the ladder says about the trained policy, in order of precedence."""

    UNKNOWN = "UNKNOWN"
    REWARD_HACKED = "REWARD_HACKED"
    UNSTABLE = "UNSTABLE"
    LEARNED = "LEARNED"
    UNDERTRAINED = "UNDERTRAINED"
    NO_BETTER_THAN_BASELINE = "NO_BETTER_THAN_BASELINE"

    @classmethod
    def of(cls, value: outcomes_pb2.VerdictKind.ValueType) -> Verdict:
        """The verdict of a message."""
        name = outcomes_pb2.VerdictKind.Name(value) if value in outcomes_pb2.VerdictKind.values() else ""
        return cls.__members__.get(name.removeprefix("VERDICT_KIND_"), cls.UNKNOWN)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user may set. None: the design's advice, or for the cost the operator's setting.

    n_envs: 1 to 256. seed: 0 to 2^31 - 1. seeds: how many policies are trained, with seed, seed + 1, ...; at
    most 20. tuning_trials: of a search for hyperparameters before the training; at most 200.
    hyperparameters: by Stable-Baselines3's names; they win over the design's advice. review: wait after the
    design until it is accepted or edited. insist: go on where another tool is advised. max_cost_usd: for
    language models.
    """

    total_timesteps: int | None = None
    n_envs: int | None = None
    seed: int = 0
    seeds: int = 1
    tuning_trials: int = 0
    hyperparameters: Mapping[str, float] = field(default_factory=dict)
    review: bool = False
    insist: bool = False
    max_cost_usd: float | None = None

    def __post_init__(self) -> None:
        for is_wrong, sentence in (
            (
                self.total_timesteps is not None and not 1 <= self.total_timesteps < 2**53,
                "timesteps must be at least 1",
            ),
            (self.n_envs is not None and not 1 <= self.n_envs <= 256, "environments must be 1 to 256"),
            (not 1 <= self.seeds <= 20, "seeds must be 1 to 20"),
            (not 0 <= self.tuning_trials <= 200, "trials must be 0 to 200"),
        ):
            if is_wrong:
                raise RequestWrong(f"The number of {sentence}.")
        if not 0 <= self.seed < 2**31:
            raise RequestWrong("The seed must be 0 to 2147483647.")
        if wrong := [name for name, value in self.hyperparameters.items() if not math.isfinite(value)]:
            raise RequestWrong(f"The hyperparameter {wrong[0]} must be a finite number.")
        if self.max_cost_usd is not None and not 0 < self.max_cost_usd < math.inf:
            raise RequestWrong("The ceiling for language models must be more than 0 US dollars.")

    def to_proto(self) -> run_pb2.RunOptions:
        named = [outcomes_pb2.NamedNumber(name=name, value=value) for name, value in self.hyperparameters.items()]
        return run_pb2.RunOptions(
            total_timesteps=self.total_timesteps,
            n_envs=self.n_envs,
            seed=self.seed,
            seeds=self.seeds,
            tuning_trials=self.tuning_trials,
            hyperparameters=named,
            review=self.review,
            insist=self.insist,
            max_cost_usd=self.max_cost_usd,
        )

    @classmethod
    def of(cls, message: run_pb2.RunOptions) -> RunOptions:
        return cls(
            total_timesteps=message.total_timesteps if message.HasField("total_timesteps") else None,
            n_envs=message.n_envs if message.HasField("n_envs") else None,
            seed=message.seed,
            seeds=max(1, message.seeds),
            tuning_trials=message.tuning_trials,
            hyperparameters={one.name: one.value for one in message.hyperparameters},
            review=message.review,
            insist=message.insist,
            max_cost_usd=message.max_cost_usd if message.HasField("max_cost_usd") else None,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it stands. Times are seconds since the epoch; reason: why it ended as it did, in a sentence."""

    id: str
    problem: str
    options: RunOptions
    state: RunState
    reason: str
    fixes: int
    design_name: str
    verdict: Verdict | None  # None until there is one
    created_at_s: float
    ended_at_s: float | None  # None while it passes
    question: str  # the designer's open question, while ASKING
    spent: run_pb2.Spent | None  # on language models; None where none was called
    proto: run_pb2.Run = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: run_pb2.Run) -> Run:
        return cls(
            id=message.id,
            problem=message.problem,
            options=RunOptions.of(message.options),
            state=RunState.of(message.state),
            reason=message.reason,
            fixes=message.fixes,
            design_name=message.design_name,
            verdict=Verdict.of(message.verdict) if message.HasField("verdict") else None,
            created_at_s=message.created_at_s,
            ended_at_s=message.ended_at_s if message.HasField("ended_at_s") else None,
            question=message.question,
            spent=message.spent if message.HasField("spent") else None,
            proto=message,
        )


@dataclass(frozen=True, slots=True)
class RunPage:
    """Some runs, newest first. next_page_token is empty on the last page."""

    runs: tuple[Run, ...]
    next_page_token: str


@dataclass(frozen=True, slots=True)
class Review:
    """What became of an edited or accepted design. findings: the linter's; with an error it was not taken."""

    run: Run
    findings: tuple[findings_pb2.Finding, ...]

    @property
    def taken(self) -> bool:
        return all(finding.severity != findings_pb2.SEVERITY_ERROR for finding in self.findings)


DETAILS: Final = (
    "design_written", "code_written", "finding", "checked", "fix_started", "progress", "trained", "ended",
    "text_written", "used", "reviewed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One thing that happened in a run. sequence counts from 1 in each run, without gaps."""

    run_id: str
    sequence: int
    at_s: float
    state: RunState
    message: str  # one line, fit for a screen
    detail: Detail | None
    proto: run_pb2.RunEvent = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: run_pb2.RunEvent) -> RunEvent:
        return cls(
            run_id=message.run_id,
            sequence=message.sequence,
            at_s=message.at_s,
            state=RunState.of(message.state),
            message=message.message,
            detail=_detail(message),
            proto=message,
        )


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a run. name is relative, with forward slashes; size in bytes; sha256 in lower-case hexadecimal."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, message: outcomes_pb2.Artifact) -> Artifact:
        return cls(name=message.name, size=message.size, sha256=message.sha256)

    def to_proto(self) -> outcomes_pb2.Artifact:
        return outcomes_pb2.Artifact(name=self.name, size=self.size, sha256=self.sha256)


def _detail(message: run_pb2.RunEvent) -> Detail | None:
    for name in DETAILS:
        if message.HasField(name):
            detail: Detail = getattr(message, name)
            return detail
    return None
