"""Outcomes of training: evaluations, the ladder, the verdict, and the artifacts that prove them."""

from __future__ import annotations

from enum import StrEnum

from kit.contracts.findings import Finding
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


class PolicyKind(StrEnum):
    IDLE = "IDLE"
    RANDOM = "RANDOM"
    BASELINE = "BASELINE"
    TRAINED = "TRAINED"


class LadderRow(Record):
    """One policy on the test seeds, measured in a fresh box: metrics by formula, from state."""

    policy: str
    kind: PolicyKind
    episodes: int
    reward: Interval
    metrics: tuple[NamedInterval, ...]  # in the design's order; the first is primary
    components: tuple[NamedNumber, ...] = ()  # weighted, mean per episode


class Ladder(Record):
    rows: tuple[LadderRow, ...]
    first_seed: int  # test seeds are first_seed, first_seed + 1, ...


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

    @property
    def trained(self) -> bool:
        return self.verdict is not None
