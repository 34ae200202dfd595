"""What the client hands out: frozen records of runs, events and artifacts.

An event's detail is one of the generated messages of gymwright.v1, so that `match event.detail` works.
"""

from __future__ import annotations

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

    @property
    def at_rest(self) -> bool:
        return self in (RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED)

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
    """What the user may set. None: the design's advice. n_envs: 1 to 256; seed: 0 to 2^31 - 1."""

    total_timesteps: int | None = None
    n_envs: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.total_timesteps is not None and not 1 <= self.total_timesteps < 2**53:
            raise RequestWrong("The number of timesteps must be at least 1.")
        if self.n_envs is not None and not 1 <= self.n_envs <= 256:
            raise RequestWrong("The number of environments must be 1 to 256.")
        if not 0 <= self.seed < 2**31:
            raise RequestWrong("The seed must be 0 to 2147483647.")

    def to_proto(self) -> run_pb2.RunOptions:
        return run_pb2.RunOptions(total_timesteps=self.total_timesteps, n_envs=self.n_envs, seed=self.seed)

    @classmethod
    def of(cls, message: run_pb2.RunOptions) -> RunOptions:
        return cls(
            total_timesteps=message.total_timesteps if message.HasField("total_timesteps") else None,
            n_envs=message.n_envs if message.HasField("n_envs") else None,
            seed=message.seed,
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
            proto=message,
        )


@dataclass(frozen=True, slots=True)
class RunPage:
    """Some runs, newest first. next_page_token is empty on the last page."""

    runs: tuple[Run, ...]
    next_page_token: str


DETAILS: Final = (
    "design_written", "code_written", "finding", "checked", "fix_started", "progress", "trained", "ended",
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
