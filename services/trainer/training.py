"""Training: one box trains, a second and fresh one measures, and code decides what was learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from pydantic import Field, NonNegativeInt, PositiveInt

from gymwright.errors import RequestWrong
from kit.contracts.design import EnvDesign, Hyperparameter
from kit.contracts.outcomes import NamedNumber, TrainOutcome, Tuning
from kit.contracts.records import Record
from kit.contracts.runs import RunOptions
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Limits
from services.trainer import leavings, seeds
from services.trainer.boxes import LADDER_LIMITS, LIMITS, Boxes
from services.trainer.deciding import outcome_of
from services.trainer.inside.hyperparameters import HyperparameterRefused, Plan, plan
from services.trainer.inside.knobs import knobs_of
from services.trainer.inside.payloads import Bar, TrainPayload
from services.trainer.losses import PAUSES_S
from services.trainer.progress import OnProgress, Progress
from services.trainer.seeds import Trained
from services.trainer.shelf import Shelf
from services.trainer.tuning import Search, Tried
from services.trainer.turns import in_turns
from services.trainer.workshop import Workshop

EPISODES: Final = 100  # of each policy on the ladder
VALIDATION_EPISODES: Final = 50  # of each trained policy; they choose between seeds, trials and attempts
TRIALS_APART: Final = 100_000  # trials train with this seed beyond the user's, so that luck is not kept with them
AT_ONCE: Final = 2  # trainings; each takes one core
LEAVE_EVERY_S: Final = 20.0  # less than this is trained again sooner than a checkpoint is worth
EVAL_EPISODES: Final = "eval_episodes"
MOST_EVAL_EPISODES: Final = 1000
_FOR_LEARNING: Final = 0.9  # of a training box's time; the rest is for the export


class TrainSettings(Record):
    """What the user may say; None: the design's advice, and below that the measured default.

    eval_episodes: 0: as many as the interval wanted takes. It is said among the hyperparameters, and is none.
    """

    seed: NonNegativeInt = 0
    seeds: PositiveInt = 1
    tuning_trials: NonNegativeInt = 0
    total_timesteps: PositiveInt | None = None
    n_envs: PositiveInt | None = Field(default=None, le=256)
    eval_episodes: NonNegativeInt = 0
    hyperparameters: tuple[Hyperparameter, ...] = ()

    @classmethod
    def of(cls, options: RunOptions) -> TrainSettings:
        return cls(
            seed=options.seed,
            seeds=max(options.seeds, 1),
            tuning_trials=options.tuning_trials,
            total_timesteps=options.total_timesteps,
            n_envs=options.n_envs,
            eval_episodes=evaluated(options.hyperparameters),
            hyperparameters=tuple(
                Hyperparameter(name=one.name, value=one.value)
                for one in options.hyperparameters
                if one.name != EVAL_EPISODES
            ),
        )


class Training:
    """Trains and measures with boxes of `driver`; keeps nothing between trainings."""

    def __init__(
        self,
        driver: SandboxDriver,
        limits: Limits = LIMITS,
        ladder_limits: Limits = LADDER_LIMITS,
        episodes: int = EPISODES,
        pauses_s: tuple[float, ...] = PAUSES_S,
        leave_every_s: float = LEAVE_EVERY_S,
    ) -> None:
        """pauses_s: before each further try of a box that the machinery could not give, or lost. leave_every_s:
        between two checkpoints that leave a box."""
        self._driver = driver
        self._limits = limits
        self._ladder_limits = ladder_limits
        self._episodes = episodes
        self._pauses_s = pauses_s
        self._leave_every_s = leave_every_s

    async def train(
        self,
        source: str,
        design: EnvDesign,
        settings: TrainSettings,
        into: Path,
        owner: str = "",
        on_progress: OnProgress = lambda progress: None,
        on_note: Callable[[str], None] = lambda note: None,
        twin: str = "",
        shelf: Shelf | None = None,
    ) -> TrainOutcome:
        """What became of it; the artifacts it names lie in the folder `into`, which exists.

        twin: the environment as NumPy over N copies, or nothing. shelf: where checkpoints wait for a fresh box.
        RequestWrong: the settings can't be. SandboxUnavailable: a box was not to be had, however often it was tried.
        """
        refuse_impossible(design, settings)
        total = settings.total_timesteps or design.training.total_timesteps
        workshop = Workshop(
            boxes=Boxes(self._driver, self._limits, self._ladder_limits, owner, on_note, self._pauses_s, shelf),
            asked=TrainPayload(
                source=source,
                design=design,
                total_timesteps=settings.total_timesteps,
                n_envs=settings.n_envs,
                hyperparameters=settings.hyperparameters,
                wall_s=_FOR_LEARNING * self._limits.wall_s,
                eval_episodes=settings.eval_episodes,
                leave_every_s=self._leave_every_s,
                twin=twin,
            ),
            into=into,
            episodes=self._episodes,
            validation=VALIDATION_EPISODES,
            progress=Progress(on_progress, total, settings.seeds + settings.tuning_trials),
            on_note=on_note,
        )
        if settings.tuning_trials:
            return await _tuned(workshop, settings, total)
        return outcome_of(design, await _seeds(workshop, settings, (), into), into)


async def _seeds(
    workshop: Workshop, settings: TrainSettings, more: tuple[Hyperparameter, ...], folder: Path
) -> list[Trained]:
    """One policy a seed, in folders of their own where there are several, else in `folder`."""

    async def one(seed: int) -> Trained:
        if settings.seeds == 1:
            return await workshop.trained(seed, more, folder, "")
        return await workshop.trained(seed, more, folder / leavings.SEEDS / str(seed), f", seed {seed}")

    return await in_turns(one, range(settings.seed, settings.seed + settings.seeds), AT_ONCE)


async def _tuned(workshop: Workshop, settings: TrainSettings, total: int) -> TrainOutcome:
    """A search; then its best settings, trained with the user's seeds, against the defaults. The validation seeds
    decide which of the two is kept; the test seeds report on both."""
    design, into = workshop.design, workshop.into
    defaults = _plan(design, settings)
    fixed = frozenset(one.name for one in settings.hyperparameters)
    knobs = knobs_of(defaults, fixed)
    search = Search(
        metric=design.metrics[0],
        knobs=knobs,
        defaults=tuple(NamedNumber(name=knob.name, value=defaults.values[knob.name]) for knob in knobs),
        trials=settings.tuning_trials,
        at_once=AT_ONCE,
        total=total,
        seed=settings.seed,
    )

    async def attempt(number: int, values: tuple[Hyperparameter, ...], bars: tuple[Bar, ...]) -> Tried:
        return await workshop.tried(number, settings.seed + TRIALS_APART, values if number else (), bars)

    found = await search.run(attempt, workshop.suggested)
    if search.done[0][1].findings and search.done[0][1].value is None:
        return TrainOutcome(findings=search.done[0][1].findings, artifacts=leavings.artifacts(into))
    plain = await _seeds(workshop, settings, (), into / leavings.DEFAULT)
    best = (
        plain
        if search.best == 0
        else await _seeds(workshop, settings, search.settings_of(search.best), into / leavings.TUNED)
    )
    for group in (plain, best):
        if any(one.failed for one in group):
            return outcome_of(design, group, into)
    default, tuned = seeds.kept_of(design, plain), seeds.kept_of(design, best)
    tuning = None
    if default.primary is not None and tuned.primary is not None:
        tuning = Tuning(
            trials=search.records,
            best=search.best,
            importances=found.importances,
            default_primary=default.primary,
            tuned_primary=tuned.primary,
        )
        leavings.write(into / "tuning.json", tuning)
    return outcome_of(
        design, best if seeds.worth(design, tuned) > seeds.worth(design, default) else plain, into, tuning
    )


def evaluated(named: Iterable[NamedNumber]) -> int:
    """How many episodes each evaluation plays, where that is among these; else 0. RequestWrong for what can't be."""
    for one in named:
        if one.name != EVAL_EPISODES:
            continue
        if one.value != int(one.value) or not 0 <= one.value <= MOST_EVAL_EPISODES:
            raise RequestWrong(
                f"{EVAL_EPISODES} must be a whole number from 1 to {MOST_EVAL_EPISODES}, or 0 for as many as the "
                f"interval takes, not {one.value:g}."
            )
        return int(one.value)
    return 0


def refuse_impossible(design: EnvDesign, settings: TrainSettings) -> None:
    """RequestWrong for a name or a value that no training of this design can take; the design's own advice is not
    the user's fault, so it is left to the box, which makes a finding of it."""
    bare = design.model_copy(update={"training": design.training.model_copy(update={"hyperparameters": ()})})
    try:
        _plan(bare, settings)
    except HyperparameterRefused as refused:
        raise RequestWrong(f"{refused}.") from refused


def _plan(design: EnvDesign, settings: TrainSettings) -> Plan:
    return plan(design, settings.seed, settings.total_timesteps, settings.n_envs, settings.hyperparameters)
