"""Training: one box trains, a second and fresh one measures, and code decides what was learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pydantic import Field, NonNegativeInt, PositiveInt

from gymwright.errors import RequestWrong
from kit.contracts.design import EnvDesign, Hyperparameter
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import RunOptions
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Limits
from services.trainer import leavings, seeds
from services.trainer.boxes import LADDER_LIMITS, LIMITS, Boxes
from services.trainer.inside.hyperparameters import HyperparameterRefused, plan
from services.trainer.inside.payloads import LadderClaim, TrainPayload
from services.trainer.ladder import ladder_of
from services.trainer.progress import OnProgress, Progress
from services.trainer.seeds import Trained
from services.trainer.turns import in_turns

EPISODES: Final = 100  # of each policy on the ladder
VALIDATION_EPISODES: Final = 50  # of each trained policy; they choose between seeds, trials and attempts
AT_ONCE: Final = 2  # trainings; each takes one core
_FOR_LEARNING: Final = 0.9  # of a training box's time; the rest is for the export


class TrainSettings(Record):
    """What the user may say; None: the design's advice, and below that the measured default."""

    seed: NonNegativeInt = 0
    seeds: PositiveInt = 1
    total_timesteps: PositiveInt | None = None
    n_envs: PositiveInt | None = Field(default=None, le=256)
    hyperparameters: tuple[Hyperparameter, ...] = ()

    @classmethod
    def of(cls, options: RunOptions) -> TrainSettings:
        return cls(
            seed=options.seed,
            seeds=max(options.seeds, 1),
            total_timesteps=options.total_timesteps,
            n_envs=options.n_envs,
            hyperparameters=tuple(Hyperparameter(name=one.name, value=one.value) for one in options.hyperparameters),
        )


class Training:
    """Trains and measures with boxes of `driver`; keeps nothing between trainings."""

    def __init__(
        self,
        driver: SandboxDriver,
        limits: Limits = LIMITS,
        ladder_limits: Limits = LADDER_LIMITS,
        episodes: int = EPISODES,
    ) -> None:
        self._driver = driver
        self._limits = limits
        self._ladder_limits = ladder_limits
        self._episodes = episodes

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
    ) -> TrainOutcome:
        """What became of it; the artifacts it names lie in the folder `into`, which exists.

        twin: the environment as NumPy over N copies, or nothing.
        RequestWrong: the settings can't be. SandboxUnavailable: no box could be had.
        """
        refuse_impossible(design, settings)
        boxes = Boxes(self._driver, self._limits, self._ladder_limits, owner)
        asked = TrainPayload(
            source=source,
            design=design,
            total_timesteps=settings.total_timesteps,
            n_envs=settings.n_envs,
            hyperparameters=settings.hyperparameters,
            wall_s=_FOR_LEARNING * self._limits.wall_s,
            twin=twin,
        )
        several = settings.seeds > 1
        total = settings.total_timesteps or design.training.total_timesteps
        progress = Progress(on_progress, total, settings.seeds)

        async def one(seed: int) -> Trained:
            which = f", seed {seed}" if several else ""
            folder = into / leavings.SEEDS / str(seed) if several else into
            folder.mkdir(parents=True, exist_ok=True)
            on_note(f"training for {total} steps{which}")
            claim = await boxes.train(asked.model_copy(update={"seed": seed}), folder, progress.of(seed))
            leavings.arrange(folder)
            leavings.write(folder / "training.json", claim)
            trained = Trained(seed, claim, LadderClaim(), folder)
            if trained.failed or claim.report is None:
                return trained
            on_note(f"measuring the policies on {self._episodes} test seeds in a fresh box{which}")
            measured = await boxes.measure(source, design, folder, self._episodes, VALIDATION_EPISODES)
            return Trained(seed, claim, measured.claim, folder, measured.traces)

        return outcome(design, await in_turns(one, range(settings.seed, settings.seed + settings.seeds), AT_ONCE), into)


def refuse_impossible(design: EnvDesign, settings: TrainSettings) -> None:
    """RequestWrong for a name or a value that no training of this design can take; the design's own advice is not
    the user's fault, so it is left to the box, which makes a finding of it."""
    bare = design.model_copy(update={"training": design.training.model_copy(update={"hyperparameters": ()})})
    try:
        plan(bare, settings.seed, settings.total_timesteps, settings.n_envs, settings.hyperparameters)
    except HyperparameterRefused as refused:
        raise RequestWrong(f"{refused}.") from refused


def outcome(design: EnvDesign, trained: Sequence[Trained], into: Path) -> TrainOutcome:
    """From all seeds to what became of it; the folder then holds the kept policy's files and the others' small ones."""
    failed = next((one for one in trained if one.failed or one.claim.report is None), None)
    if failed is not None:
        return TrainOutcome(findings=failed.findings, training=failed.claim.report, artifacts=leavings.artifacts(into))
    kept = seeds.kept_of(design, trained)
    for one in trained:
        leavings.write(one.folder / "ladder_episodes.json", one.measured)
    ladder = ladder_of(design, kept.measured)
    leavings.write(kept.folder / "ladder.json", ladder)
    if kept.measured.shown_seed is not None:
        leavings.write_traces(kept.folder / leavings.TRACE_FILE, kept.measured.shown_seed, kept.traces)
    leavings.keep(into, [one.folder for one in trained], kept.folder)
    return TrainOutcome(
        findings=kept.findings,
        training=kept.claim.report,
        ladder=ladder,
        verdict=seeds.together(design, trained, kept),
        seeds=seeds.rows(design, trained, kept),
        validation_primary=kept.validation_primary,
        artifacts=leavings.artifacts(into),
    )
