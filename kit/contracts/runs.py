"""Runs: what is asked for, the states a run passes through, and the numbered events it leaves."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, PositiveInt

from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport, Finding
from kit.contracts.outcomes import Artifact, NamedNumber, TrainOutcome, VerdictKind
from kit.contracts.records import Record


class OriginKind(StrEnum):
    LIBRARY = "LIBRARY"  # a worked problem that ships with Gymwright
    MODEL = "MODEL"  # a language model wrote it
    SCRIPTED = "SCRIPTED"  # a prepared draft, for tests and demonstrations


class Origin(Record):
    """Where a design or a source came from. detail: which worked problem and how near, which model."""

    kind: OriginKind
    detail: str
    similarity: float | None = None  # of a library match, in [0, 1]


class Draft(Record):
    """One version of the environment's source and what was found wrong with it."""

    source: str
    origin: Origin
    findings: tuple[Finding, ...] = ()


class RunOptions(Record):
    """What the user may set. None: the design's advice or the measured default."""

    total_timesteps: PositiveInt | None = None
    n_envs: PositiveInt | None = Field(default=None, le=256)
    seed: int = Field(default=0, ge=0, lt=2**31)


class RunState(StrEnum):
    """-ING while passing, -ED when at rest."""

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


class Run(Record):
    """A run as it stands. Times are seconds since the epoch. reason: why it ended as it did, in a sentence."""

    id: str
    problem: str
    options: RunOptions = RunOptions()
    state: RunState
    reason: str = ""
    fixes: int = 0  # how often the coder had to repair
    design_name: str = ""
    verdict: VerdictKind | None = None
    created_at_s: float
    ended_at_s: float | None = None


class DesignWritten(Record):
    design: EnvDesign
    origin: Origin


class CodeWritten(Record):
    """fix: 0 for the first draft, then the number of the fix."""

    source: str
    origin: Origin
    fix: int = 0


class FixStarted(Record):
    """The coder gets the findings. fix of fixes_allowed."""

    fix: int
    fixes_allowed: int
    findings: tuple[Finding, ...]


class TrainingProgress(Record):
    """mean_reward, metrics, components: over the latest training episodes; absent before the first has ended."""

    timesteps: int
    total_timesteps: int
    steps_per_s: float
    mean_reward: float | None = None
    metrics: tuple[NamedNumber, ...] = ()
    components: tuple[NamedNumber, ...] = ()


class RunEnded(Record):
    state: RunState
    reason: str = ""
    artifacts: tuple[Artifact, ...] = ()


class RunEvent(Record):
    """One thing that happened. sequence counts from 1 in each run, without gaps.

    message: one line, fit for a screen. At most one of the details is set.
    """

    run_id: str
    sequence: int = Field(ge=1)
    at_s: float
    state: RunState
    message: str
    design_written: DesignWritten | None = None
    code_written: CodeWritten | None = None
    finding: Finding | None = None
    checked: CheckReport | None = None
    fix_started: FixStarted | None = None
    progress: TrainingProgress | None = None
    trained: TrainOutcome | None = None
    ended: RunEnded | None = None


class JobKey(Record):
    """Names a job of an agent; starting the same key again starts nothing new."""

    run_id: str
    step: str
    attempt: int = 0


class ReportRequest(Record):
    """Everything the reporter needs to know of a run."""

    run_id: str
    problem: str
    options: RunOptions
    design: EnvDesign
    design_origin: Origin
    drafts: tuple[Draft, ...]  # every version of the source, oldest first; the last is the one trained
    check: CheckReport
    outcome: TrainOutcome
    sandbox: str  # what kind of box was used, and how it is weaker, if it is
