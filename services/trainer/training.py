"""Training: one box trains, a second and fresh one measures, and code decides what was learned."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pydantic import Field, NonNegativeInt, PositiveInt

from gymwright.errors import RequestWrong
from kit.contracts.design import EnvDesign, Hyperparameter
from kit.contracts.findings import Finding, Severity
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import JsonObject, Record
from kit.contracts.runs import TrainingProgress
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Job, Limits
from services.trainer import claims, endings, leavings
from services.trainer.inside.hyperparameters import HyperparameterRefused, plan
from services.trainer.inside.payloads import (
    ARTIFACTS,
    MOST_POLICY_BYTES,
    POLICY_FILE,
    LadderClaim,
    LadderPayload,
    TrainClaim,
    TrainPayload,
)
from services.trainer.ladder import is_complete, ladder_of
from services.trainer.verdict import verdict

LIMITS: Final = Limits(
    wall_s=3600.0,
    memory_mib=3072,
    work_mib=512,
    said_bytes=64 * 2**20,
    line_bytes=4 * 2**20,
    artifact_bytes=192 * 2**20,
)
LADDER_LIMITS: Final = LIMITS.model_copy(update={"wall_s": 900.0})
EPISODES: Final = 100  # of each policy on the ladder
_PROGRESS_EVERY_S: Final = 0.2
_FOR_LEARNING: Final = 0.9  # of a training box's time; the rest is for the export


class TrainSettings(Record):
    """What the user may say; None: the design's advice, and below that the measured default."""

    seed: NonNegativeInt = 0
    total_timesteps: PositiveInt | None = None
    n_envs: PositiveInt | None = Field(default=None, le=256)
    hyperparameters: tuple[Hyperparameter, ...] = ()


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
        on_progress: Callable[[TrainingProgress], None] = lambda progress: None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> TrainOutcome:
        """What became of it; the artifacts it names lie in the folder `into`, which exists.

        RequestWrong: the settings can't be. SandboxUnavailable: no box could be had.
        """
        refuse_impossible(design, settings)
        claim = await self._train(source, design, settings, into, owner, on_progress, on_note)
        leavings.arrange(into)
        leavings.write(into / "training.json", claim)
        if _failed(claim.findings) or claim.report is None:
            return TrainOutcome(findings=claim.findings, training=claim.report, artifacts=leavings.artifacts(into))
        on_note(f"measuring the policies on {self._episodes} test seeds in a fresh box")
        measured = await self._measure(source, design, into, owner)
        findings = claim.findings + measured.findings
        if _failed(findings):
            return TrainOutcome(findings=findings, training=claim.report, artifacts=leavings.artifacts(into))
        ladder = ladder_of(design, measured)
        leavings.write(into / "ladder.json", ladder)
        leavings.write(into / "ladder_episodes.json", measured)
        return TrainOutcome(
            findings=findings,
            training=claim.report,
            ladder=ladder,
            verdict=verdict(design, measured.policies, claim.report.evaluations),
            artifacts=leavings.artifacts(into),
        )

    async def _train(
        self,
        source: str,
        design: EnvDesign,
        settings: TrainSettings,
        into: Path,
        owner: str,
        on_progress: Callable[[TrainingProgress], None],
        on_note: Callable[[str], None],
    ) -> TrainClaim:
        payload = TrainPayload(
            source=source,
            design=design,
            seed=settings.seed,
            total_timesteps=settings.total_timesteps,
            n_envs=settings.n_envs,
            hyperparameters=settings.hyperparameters,
            wall_s=_FOR_LEARNING * self._limits.wall_s,
        )
        total = payload.total_timesteps or design.training.total_timesteps
        latest: list[TrainingProgress] = []
        passed_on = -math.inf

        def hear(said: JsonObject) -> None:
            nonlocal passed_on
            if said.get("kind") != "progress" or (progress := claims.read(said, TrainingProgress)) is None:
                return
            latest[:] = [progress]
            if time.monotonic() - passed_on >= _PROGRESS_EVERY_S:  # a box may flood; watchers must not drown
                passed_on = time.monotonic()
                on_progress(progress)

        on_note(f"training for {total} steps")
        result = await self._driver.run(
            Job(
                entry="services.trainer.inside.train",
                payload=payload.model_dump(mode="json"),
                take=ARTIFACTS,
                limits=self._limits,
                owner=owner,
            ),
            into,
            hear,
        )
        claim = claims.read(result.result, TrainClaim)
        if claim is None:
            reached = f"{latest[0].timesteps} of {total} steps were taken." if latest else "No step was reported."
            return TrainClaim(findings=(endings.no_result("training", result, reached),))
        if claim.report is not None and not _is_sensible(into / POLICY_FILE):
            return TrainClaim(findings=(endings.no_policy(),))
        return claim

    async def _measure(self, source: str, design: EnvDesign, into: Path, owner: str) -> LadderClaim:
        payload = LadderPayload(source=source, design=design, episodes=self._episodes)
        result = await self._driver.run(
            Job(
                entry="services.trainer.inside.ladder",
                payload=payload.model_dump(mode="json"),
                files={POLICY_FILE: (into / POLICY_FILE).read_bytes()},
                limits=self._ladder_limits,
                owner=owner,
            )
        )
        claim = claims.read(result.result, LadderClaim)
        if claim is None or not (_failed(claim.findings) or is_complete(design, claim)):
            return LadderClaim(findings=(endings.no_result("ladder", result, "Policies were being compared."),))
        return claim


def refuse_impossible(design: EnvDesign, settings: TrainSettings) -> None:
    """RequestWrong for a name or a value that no training of this design can take; the design's own advice is not
    the user's fault, so it is left to the box, which makes a finding of it."""
    bare = design.model_copy(update={"training": design.training.model_copy(update={"hyperparameters": ()})})
    try:
        plan(bare, settings.seed, settings.total_timesteps, settings.n_envs, settings.hyperparameters)
    except HyperparameterRefused as refused:
        raise RequestWrong(f"{refused}.") from refused


def _is_sensible(policy: Path) -> bool:
    return policy.is_file() and 0 < policy.stat().st_size <= MOST_POLICY_BYTES


def _failed(findings: tuple[Finding, ...]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
