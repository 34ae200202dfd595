"""Outcomes of training: evaluations, the ladder, the verdict, and the artifacts that prove them."""

from __future__ import annotations

from enum import StrEnum

from kit.contracts.findings import Blame, Finding
from kit.contracts.records import Record


class Interval(Record):
    """A mean with a 95 % bootstrap interval over episodes."""

    mean: float
    low: float
    high: float


class NamedNumber(Record):
    name: str
    value: float


class NamedInterval(Record):
    name: str
    interval: Interval


class Evaluation(Record):
    """One evaluation during training, on the validation seeds; what the training box says is a claim."""

    timesteps: int
    mean_reward: float
    std_reward: float
    episodes: int
    metrics: tuple[NamedNumber, ...] = ()
    level: str = ""  # of the curriculum, where the training was; all of the above is of the parameters' own values
    level_primary: float | None = None  # the primary metric at that level; absent at the last


class ComponentShare(Record):
    """What a reward component (weighted) added per episode, at the start and at the end of training."""

    name: str
    first: float
    last: float


class TrainingReport(Record):
    """How training went: the settings in force, and what it claims to have reached."""

    algorithm: str  # "PPO", "MaskablePPO", "SAC"
    why_algorithm: str
    engine: str
    seed: int
    n_envs: int
    total_timesteps: int  # taken, not asked for
    hyperparameters: tuple[NamedNumber, ...] = ()
    wall_s: float = 0.0
    steps_per_s: float = 0.0
    evaluations: tuple[Evaluation, ...] = ()
    components: tuple[ComponentShare, ...] = ()
    twin: str = ""  # what became of the batched twin, in a sentence; empty where there was none


class PolicyKind(StrEnum):
    IDLE = "IDLE"
    RANDOM = "RANDOM"
    BASELINE = "BASELINE"
    TRAINED = "TRAINED"
    CONSTANT = "CONSTANT"  # one action, always the same: the best of several
    HALF_TRAINED = "HALF_TRAINED"  # as it was half way through the training


class LadderRow(Record):
    """One policy on the test seeds, measured in a fresh box: metrics by formula, from state."""

    policy: str
    kind: PolicyKind
    episodes: int
    reward: Interval
    metrics: tuple[NamedInterval, ...]  # in the design's order; the first is primary
    components: tuple[NamedNumber, ...] = ()  # weighted, mean per episode
    primary_iqm: Interval | None = None  # interquartile mean of the primary metric over episodes


class Ladder(Record):
    rows: tuple[LadderRow, ...]
    first_seed: int  # test seeds are first_seed, first_seed + 1, ...
    # The rules and the trained policy with parameters drawn from the design's ranges for each episode; else empty.
    randomised: tuple[LadderRow, ...] = ()


class VerdictKind(StrEnum):
    """In order of precedence."""

    REWARD_HACKED = "REWARD_HACKED"
    UNSTABLE = "UNSTABLE"
    LEARNED = "LEARNED"
    UNDERTRAINED = "UNDERTRAINED"
    NO_BETTER_THAN_BASELINE = "NO_BETTER_THAN_BASELINE"


class Verdict(Record):
    """What was learned, decided by code from the ladder. reason: the numbers, in a sentence."""

    kind: VerdictKind
    reason: str
    remedy: str = ""
    blame: Blame | None = None  # who should act; None where nothing is wrong
    component: str = ""  # the reward component that explains it; empty where none does
    trace_seed: int | None = None  # the test seed of the episode that shows it, traced in the artifacts
    suggested_timesteps: int | None = None  # a budget that should do, from the curve's fit; None where more won't help


class TrainedSeed(Record):
    """One of several policies trained with different seeds. primary: the primary metric on the test seeds."""

    seed: int
    reward: Interval
    primary: Interval
    verdict: VerdictKind  # what this policy alone would get
    kept: bool = False  # the median one, which the artifacts hold


class TuningTrial(Record):
    """One trial of the search for hyperparameters. value: the primary metric on validation seeds, where it finished."""

    number: int
    hyperparameters: tuple[NamedNumber, ...]
    value: float | None = None
    pruned: bool = False


class Tuning(Record):
    """A search for hyperparameters, and what it brought on the test seeds, which chose nothing."""

    trials: tuple[TuningTrial, ...]  # trial 0 has the defaults
    best: int
    importances: tuple[NamedNumber, ...] = ()  # share of each in the spread of the values
    default_primary: Interval
    tuned_primary: Interval


class Artifact(Record):
    """A file in the artifact store. name: relative to the run, e.g. "reward_curve.png"."""

    name: str
    size: int
    sha256: str


class TrainOutcome(Record):
    """What became of training one environment: either findings that stopped it, or all the rest."""

    findings: tuple[Finding, ...] = ()
    training: TrainingReport | None = None
    ladder: Ladder | None = None
    verdict: Verdict | None = None
    artifacts: tuple[Artifact, ...] = ()
    seeds: tuple[TrainedSeed, ...] = ()  # only where several were trained
    tuning: Tuning | None = None
    validation_primary: float | None = None  # mean on the validation seeds in the fresh box; chooses between attempts

    @property
    def trained(self) -> bool:
        return self.verdict is not None
