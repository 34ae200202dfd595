"""The trainer's two kinds of boxes: one trains and claims, a fresh one measures; either may end badly, as findings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.records import JsonObject
from kit.contracts.runs import TrainingProgress
from kit.inside.saying import KEEP
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Job, JobResult, Limits
from services.trainer import claims, endings
from services.trainer.inside.payloads import (
    ARTIFACTS,
    CHECKPOINT_FILE,
    HALF_FILE,
    MOST_CHECKPOINT_BYTES,
    MOST_POLICY_BYTES,
    POLICY_FILE,
    STUDY_FILE,
    LadderClaim,
    LadderPayload,
    SearchClaim,
    SearchPayload,
    Trace,
    TrainClaim,
    TrainPayload,
)
from services.trainer.ladder import is_complete
from services.trainer.losses import PAUSES_S, Losses
from services.trainer.shelf import Shelf, name_of

LIMITS: Final = Limits(
    wall_s=3600.0,
    memory_mib=3072,
    work_mib=512,
    said_bytes=64 * 2**20,
    line_bytes=4 * 2**20,
    artifact_bytes=192 * 2**20,
)
LADDER_LIMITS: Final = LIMITS.model_copy(update={"wall_s": 900.0})
OnProgress = Callable[[TrainingProgress], None]
OnSaid = Callable[[JsonObject], None]
OnNote = Callable[[str], None]


@dataclass(frozen=True)
class Measured:
    """What the second box found. traces: parts of the shown episodes, in order."""

    claim: LadderClaim
    traces: tuple[Trace, ...] = ()


class Boxes:
    """Boxes of `driver` for trainings of one run, `owner`."""

    def __init__(
        self,
        driver: SandboxDriver,
        limits: Limits,
        ladder_limits: Limits,
        owner: str,
        on_note: OnNote = lambda note: None,
        pauses_s: tuple[float, ...] = PAUSES_S,
        shelf: Shelf | None = None,
    ) -> None:
        """pauses_s: before each further try of a box that the machinery could not give, or lost. shelf: where
        checkpoints of trainings wait meanwhile; without one, a training whose box is lost begins anew."""
        self._driver = driver
        self._limits = limits
        self._ladder_limits = ladder_limits
        self._owner = owner
        self._on_note = on_note
        self._pauses_s = pauses_s
        self._shelf = shelf

    async def train(self, payload: TrainPayload, into: Path, on_progress: OnProgress, which: str = "") -> TrainClaim:
        """What the first box claims; its files lie in `into`. A claim with findings where it claims nothing valid.

        which: of several trainings, for the notes, as in ", seed 2".
        """
        latest: list[TrainingProgress] = []
        shelved = name_of(payload)

        def hear(said: JsonObject) -> None:
            if said.get("kind") == KEEP and self._shelf is not None:
                self._shelf.keep(shelved, _opaque(into / CHECKPOINT_FILE))
            if said.get("kind") == "progress" and (progress := claims.read(said, TrainingProgress)) is not None:
                latest[:] = [progress]
                on_progress(progress)

        job = Job(
            entry="services.trainer.inside.train",
            payload=payload.model_dump(mode="json"),
            take=ARTIFACTS,
            keep=(CHECKPOINT_FILE,) if self._shelf is not None else (),
            limits=self._limits,
            owner=self._owner,
        )
        result = await self._result(job, f"training{which}", into, hear, shelved)
        claim = claims.read(result.result, TrainClaim)
        if claim is None:
            total = payload.total_timesteps or payload.design.training.total_timesteps
            reached = f"{latest[0].timesteps} of {total} steps were taken." if latest else "No step was reported."
            return TrainClaim(findings=(endings.no_result("training", result, reached),))
        if claim.report is not None and not _is_sensible(into / POLICY_FILE):
            return TrainClaim(findings=(endings.no_policy(),))
        return claim

    async def search(self, payload: SearchPayload, into: Path) -> SearchClaim:
        """What to try next; the study so far lies in `into`. SandboxUnavailable where the box gave no answer."""
        job = Job(
            entry="services.trainer.inside.search",
            payload=payload.model_dump(mode="json"),
            take=(STUDY_FILE,),
            limits=self._ladder_limits,
            owner=self._owner,
        )
        result = await self._result(job, "the search for hyperparameters", into)
        claim = claims.read(result.result, SearchClaim)
        if claim is None or len(claim.suggested) != payload.ask:
            raise SandboxUnavailable(f"The search for hyperparameters gave no answer: {result.output[-500:].strip()}")
        return claim

    async def measure(
        self, source: str, design: EnvDesign, policies: Path, episodes: int, validation: int, which: str = ""
    ) -> Measured:
        """policies: the folder with what the first box left. episodes: 0 for the validation seeds alone."""
        payload = LadderPayload(source=source, design=design, episodes=episodes, validation_episodes=validation)
        names = [name for name in (POLICY_FILE, HALF_FILE) if _is_sensible(policies / name)]
        job = Job(
            entry="services.trainer.inside.ladder",
            payload=payload.model_dump(mode="json"),
            files={name: (policies / name).read_bytes() for name in names},
            limits=self._ladder_limits,
            owner=self._owner,
        )
        result = await self._result(job, f"measuring{which}")
        claim = claims.read(result.result, LadderClaim)
        if claim is None or not (claim.findings or is_complete(design, claim, episodes, validation)):
            return Measured(
                LadderClaim(findings=(endings.no_result("ladder", result, "Policies were being compared."),))
            )
        return Measured(claim, _traces(result.said))

    async def _result(
        self, job: Job, which: str, into: Path | None = None, hear: OnSaid = lambda said: None, shelved: str = ""
    ) -> JobResult:
        """Of the first box that is not lost; SandboxUnavailable where as many are as there are pauses, and one more.

        A box that was killed, nobody knows by whom, counts as lost once: its candidate may have done it. shelved: the
        name of the checkpoint that the work can go on from.
        """
        losses, killed = Losses(which, self._on_note, self._pauses_s), 0
        while True:
            try:
                result = await self._driver.run(await self._with_checkpoint(job, which, shelved), into, hear)
                killed += result.unexplained
                if not result.unexplained or killed > 1 or not self._pauses_s:
                    return result
                await losses.another(SandboxUnavailable("its box was killed from outside, or by itself"))
            except SandboxUnavailable as failure:
                await losses.another(failure)
            if into is not None:
                for name in job.take:
                    (into / name).unlink(missing_ok=True)

    async def _with_checkpoint(self, job: Job, which: str, shelved: str) -> Job:
        checkpoint = await self._shelf.latest(shelved) if self._shelf is not None and shelved else b""
        if not checkpoint:
            return job
        digest = hashlib.sha256(checkpoint).hexdigest()
        self._on_note(f"{which} goes on from its checkpoint in a fresh box (SHA-256 {digest[:16]})")
        return job.model_copy(update={"files": {CHECKPOINT_FILE: checkpoint}})


def _traces(said: Sequence[JsonObject]) -> tuple[Trace, ...]:
    read = (claims.read(one, Trace) for one in said if one.get("kind") == "trace")
    return tuple(trace for trace in read if trace is not None)


def _opaque(checkpoint: Path) -> bytes:
    """Nothing where it is not there, or larger than a checkpoint may be; it is not looked into."""
    if not checkpoint.is_file() or checkpoint.stat().st_size > MOST_CHECKPOINT_BYTES:
        return b""
    return checkpoint.read_bytes()


def _is_sensible(policy: Path) -> bool:
    return policy.is_file() and 0 < policy.stat().st_size <= MOST_POLICY_BYTES
