"""What the two boxes of training are asked, and what they claim: plain records that both sides of the wall read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from kit.contracts.design import EnvDesign, Hyperparameter
from kit.contracts.findings import Finding
from kit.contracts.outcomes import NamedNumber, PolicyKind, TrainingReport, TuningTrial
from kit.contracts.records import Record

VALIDATION_SEED = 10_000  # the seeds that choose the best model start here
TEST_SEED = 20_000  # the seeds that the ladder reports on start here; they choose nothing
TRAINING_SEED = 1_000_000  # training seeds start here, 1000 for each seed that the user can give
SEEDS = 1000

POLICY_FILE = "policy.onnx"  # box 1 leaves it, box 2 gets it
HALF_FILE = "policy_half.onnx"  # the same half way through the training; not there where it ended before
MOST_POLICY_BYTES = 32 * 2**20
STUDY_FILE = "tuning.journal"  # the search, as Optuna's journal
RANDOMISED = (PolicyKind.BASELINE, PolicyKind.TRAINED)
"""Who plays with parameters drawn from the design's ranges, too."""
MOST_DRAWN = 100  # episodes of each of these; as many environments stand side by side
MOST_COLUMNS = 400  # of a trace
MOST_TRACED = 5000  # steps of each traced episode
CHECKPOINT_FILE = "checkpoint.zip"  # leaves box 1 now and then while it trains; given to a fresh one if that is lost
MOST_CHECKPOINT_BYTES = 128 * 2**20
ARTIFACTS = (
    "model.zip", POLICY_FILE, HALF_FILE, "results.csv", "monitor.csv", "steps.parquet", "tensorboard.events",
    CHECKPOINT_FILE,
)  # fmt: skip
"""Plain names in the training box's OUT_DIR; anything else there is ignored."""


class Bar(Record):
    """From `timesteps` on a trial must have reached `primary` in some evaluation, or it is pruned."""

    timesteps: NonNegativeInt
    primary: float


class TrainPayload(Record):
    """Box 1. None: what the design advises, and where it says nothing, the measured default.

    wall_s: training stops by itself after this, so that what was learned can still be exported.
    leave_every_s: between two checkpoints that leave the box, at least. Where the input file checkpoint.zip is there,
        the training goes on from it.
    bars: of a trial in a search for hyperparameters, oldest first.
    eval_episodes: validation seeds that each evaluation plays; 0: as many as the interval wanted takes.
    """

    source: str
    design: EnvDesign
    seed: NonNegativeInt = 0
    total_timesteps: PositiveInt | None = None
    n_envs: PositiveInt | None = None
    hyperparameters: tuple[Hyperparameter, ...] = ()
    wall_s: PositiveFloat = 3600.0
    leave_every_s: NonNegativeFloat = 20.0
    eval_episodes: NonNegativeInt = 0
    twin: str = ""  # the environment as NumPy over N copies; empty: there is none
    bars: tuple[Bar, ...] = ()


class CurvePoint(Record):
    """Means over the training episodes that ended since the point before."""

    timesteps: NonNegativeInt
    episodes: PositiveInt
    reward: float
    length: float
    components: tuple[float, ...]  # weighted, per episode, in the design's order
    metrics: tuple[float | None, ...]  # in the design's order; None where no episode has a value


class Parity(Record):
    """How policy.onnx compares with the model on observations that the policy visited."""

    observations: NonNegativeInt
    differ: NonNegativeInt  # discrete: not identical; BOX: further off than 1e-5 of the term's range
    largest: float  # the largest difference of any number in an action


class TrainedWith(Record):
    """The settings and libraries that a reproduction needs."""

    libraries: tuple[str, ...]  # "torch 2.13.0"
    threads: PositiveInt
    source_sha256: str
    design_sha256: str


class CpuSpent(Record):
    """Seconds of CPU time, by what they were spent on; `training` is all of learn() without the others."""

    training: float
    evaluation: float
    logging: float
    export: float


class Fingerprint(Record):
    """What a model's next step depends on, at a checkpoint. Each hash is a SHA-256 of every number, bit by bit.

    parameters: of all networks, targets included. optimizer: moments, steps and rates of every Adam. buffer: of the
    replay buffer's rows; empty for PPO, whose rollout holds nothing then that is still needed.
    """

    timesteps: NonNegativeInt
    updates: NonNegativeInt
    learning_rate: float  # by its schedule, at this step
    parameters: str
    optimizer: str
    buffer: str = ""


class Resumed(Record):
    """A checkpoint that a fresh box went on from. before: as the lost box had it; after: as the fresh one had it
    before its first step. They are equal, or the training begins anew."""

    before: Fingerprint
    after: Fingerprint
    episodes_went_on: bool  # else the environments could not be kept, and began new episodes


class TrainClaim(Record):
    """The result of box 1: a claim, since the candidate ran beside the code that says it."""

    findings: Annotated[tuple[Finding, ...], Field(max_length=20)] = ()
    report: TrainingReport | None = None
    curve: Annotated[tuple[CurvePoint, ...], Field(max_length=2000)] = ()
    parity: Parity | None = None
    chosen_at: NonNegativeInt = 0  # the timesteps of the model in model.zip: the best on the validation seeds
    stopped_early: str = ""  # why training ended before total_timesteps; empty where it didn't
    steps_recorded: NonNegativeInt = 0
    cpu_s: CpuSpent | None = None
    trained_with: TrainedWith | None = None
    why_engine: Annotated[str, Field(max_length=500)] = ""  # a sentence
    why_episodes: Annotated[str, Field(max_length=500)] = ""  # of an evaluation so many, in a sentence
    resumed: Annotated[tuple[Resumed, ...], Field(max_length=50)] = ()  # oldest first; empty where no box was lost
    not_resumed: str = ""  # why a checkpoint that there was could not be used, in a clause
    pruned: bool = False  # a trial that fell short of its bars; it has no report and no policy


class LadderPayload(Record):
    """Box 2. The policies themselves are the input files policy.onnx and, where there is one, policy_half.onnx.

    episodes: of every rung, on the same test seeds; 0: no ladder, the trained policy plays the validation seeds only.
    validation_episodes: of the trained policy, on the validation seeds.
    """

    source: str
    design: EnvDesign
    episodes: Annotated[int, Field(ge=0, le=1000)] = 100
    first_seed: NonNegativeInt = TEST_SEED
    validation_episodes: Annotated[int, Field(ge=1, le=1000)] = 50


class PolicyEpisodes(Record):
    """One policy's episodes, one value an episode and seed, in the seeds' order.

    metrics, components: in the design's order; components are weighted. None: no value (0/0, say).
    """

    policy: str
    kind: PolicyKind
    rewards: Annotated[tuple[float, ...], Field(max_length=1000)]
    lengths: Annotated[tuple[int, ...], Field(max_length=1000)]
    metrics: tuple[Annotated[tuple[float | None, ...], Field(max_length=1000)], ...]
    components: tuple[Annotated[tuple[float, ...], Field(max_length=1000)], ...]


class LadderClaim(Record):
    """The result of box 2, computed by the judge from state, by formula.

    validation: the trained policy's primary metric, one value a validation seed.
    randomised: of the kinds RANDOMISED, on the test seeds with parameters drawn for each; empty where none has a range.
    shown_seed: of the test episode that is traced; None where no metric has a value.
    """

    findings: Annotated[tuple[Finding, ...], Field(max_length=20)] = ()
    first_seed: NonNegativeInt = TEST_SEED
    policies: Annotated[tuple[PolicyEpisodes, ...], Field(max_length=50)] = ()
    validation: Annotated[tuple[float | None, ...], Field(max_length=1000)] = ()
    randomised: Annotated[tuple[PolicyEpisodes, ...], Field(max_length=50)] = ()
    shown_seed: NonNegativeInt | None = None
    cpu_s: float = 0.0  # of the judge and the candidate together


class Trace(Record):
    """Some steps of one traced episode, as the judge computed them; said before the result, in order.

    columns: step, obs.*, action.*, reward, component.* (weighted), metric.* (the step's formula), state.*.
    """

    policy: str
    columns: Annotated[tuple[str, ...], Field(max_length=MOST_COLUMNS)]
    rows: Annotated[tuple[tuple[float | None, ...], ...], Field(max_length=MOST_TRACED)]


class Knob(Record):
    """One hyperparameter that is searched, between low and high inclusive. log: evenly by its logarithm."""

    name: str
    low: float
    high: float
    log: bool = False
    whole: bool = False


class SearchPayload(Record):
    """A box that knows no candidate: what to try next, from what became of the trials so far.

    running: values being tried, of which nothing is known yet. ask: how many more to suggest.
    """

    knobs: tuple[Knob, ...]
    maximise: bool
    trials: tuple[TuningTrial, ...] = ()
    running: tuple[tuple[NamedNumber, ...], ...] = ()
    ask: NonNegativeInt = 1
    seed: NonNegativeInt = 0


class SearchClaim(Record):
    """suggested: one set of values a trial asked for. importances: shares of the spread; empty for few trials."""

    suggested: Annotated[tuple[tuple[NamedNumber, ...], ...], Field(max_length=10)] = ()
    importances: Annotated[tuple[NamedNumber, ...], Field(max_length=50)] = ()
