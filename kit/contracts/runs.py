"""Runs: what is asked for, the states a run passes through, and the numbered events it leaves."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, PositiveInt

from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport, Finding
from kit.contracts.outcomes import Artifact, NamedNumber, TrainOutcome, VerdictKind
from kit.contracts.records import Record
from kit.contracts.spending import Spent, Usage


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
    twin: str = ""  # the environment as NumPy over N copies, where the coder wrote that too


class RunOptions(Record):
    """What the user may set. None: the design's advice or the measured default.

    seeds: how many policies are trained, with seed, seed + 1, ...; the median is kept. 0 means 1.
    tuning_trials: of a search for hyperparameters before the training.
    hyperparameters: by Stable-Baselines3's names; they win over the design's advice.
    review: stop after the design until the user accepts or edits it.
    insist: go on where the designer advises another tool.
    max_cost_usd: for language models in the whole run; None: the operator's setting.
    """

    total_timesteps: PositiveInt | None = None
    n_envs: PositiveInt | None = Field(default=None, le=256)
    seed: int = Field(default=0, ge=0, lt=2**31)
    seeds: int = Field(default=0, ge=0, le=20)
    tuning_trials: int = Field(default=0, ge=0, le=200)
    hyperparameters: tuple[NamedNumber, ...] = ()
    review: bool = False
    insist: bool = False
    max_cost_usd: float | None = Field(default=None, gt=0)


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
    ASKING = "ASKING"  # waits for the answer to the designer's question
    REVIEWING = "REVIEWING"  # waits for the user to accept or edit the design
    ADVISED = "ADVISED"  # at rest: another tool serves better, and the reason says which

    @property
    def at_rest(self) -> bool:
        return self in (RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.ADVISED)


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
    question: str = ""  # the designer's open question, while ASKING
    spent: Spent | None = None  # None where no language model was called


class DesignWritten(Record):
    design: EnvDesign
    origin: Origin


class CodeWritten(Record):
    """fix: 0 for the first draft, then the number of the fix."""

    source: str
    origin: Origin
    fix: int = 0
    twin: str = ""


class TextWritten(Record):
    """A part of a design or a source as a model writes it. restarts: what it wrote before is void."""

    purpose: str
    text: str
    restarts: bool = False


class DesignReviewed(Record):
    """The user edited the design, or accepted it. diff: unified, of its JSON; empty where it was accepted."""

    design: EnvDesign
    diff: str = ""


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
    level: str = ""  # of the curriculum; empty where there is none


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
    text_written: TextWritten | None = None
    used: Usage | None = None
    question: str = ""
    answer: str = ""
    reviewed: DesignReviewed | None = None


class JobKey(Record):
    """Names a job of an agent; starting the same key again starts nothing new."""

    run_id: str
    step: str
    attempt: int = 0
