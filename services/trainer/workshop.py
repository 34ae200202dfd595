"""The workshop of one run: trains a policy and measures it, tries hyperparameters, asks the search what to try next."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kit.contracts.design import EnvDesign, Hyperparameter
from services.trainer import intervals, leavings
from services.trainer.boxes import Boxes
from services.trainer.inside.payloads import Bar, LadderClaim, SearchClaim, SearchPayload, TrainPayload
from services.trainer.progress import Progress
from services.trainer.seeds import Trained
from services.trainer.tuning import Tried

Hyperparameters = tuple[Hyperparameter, ...]


@dataclass(frozen=True)
class Workshop:
    """asked: what every training box gets, but for seed, hyperparameters and bars. into: where files go."""

    boxes: Boxes
    asked: TrainPayload
    into: Path
    episodes: int  # of each policy on the test seeds
    validation: int  # of each trained policy on the validation seeds
    progress: Progress
    on_note: Callable[[str], None]

    @property
    def design(self) -> EnvDesign:
        return self.asked.design

    async def trained(self, seed: int, more: Hyperparameters, folder: Path, which: str) -> Trained:
        """A policy, on the whole ladder. more: hyperparameters beyond what the user says. which: for the notes."""
        leavings.open_folder(folder)
        self.on_note(f"training{which}")
        payload = self._payload(seed, more)
        claim = await self.boxes.train(payload, folder, self.progress.of(folder), which)
        leavings.arrange(folder)
        leavings.write(folder / "training.json", claim)
        done = Trained(seed, claim, LadderClaim(), folder)
        if done.failed or claim.report is None:
            return done
        self.on_note(f"measuring the policies on {self.episodes} test seeds in a fresh box{which}")
        measured = await self.boxes.measure(
            self.asked.source, self.design, folder, self.episodes, self.validation, which
        )
        return Trained(seed, claim, measured.claim, folder, measured.traces)

    async def tried(self, number: int, seed: int, more: Hyperparameters, bars: tuple[Bar, ...]) -> Tried:
        """A trial: trained like any other, unless it is pruned, and measured on the validation seeds alone."""
        folder = leavings.open_folder(self.into / f"trial-{number}")
        try:
            self.on_note(f"trial {number}: training")
            claim = await self.boxes.train(
                self._payload(seed, more).model_copy(update={"bars": bars}),
                folder,
                self.progress.of(folder),
                f", trial {number}",
            )
            if claim.report is None:
                return Tried(None, claim.pruned, findings=claim.findings)
            measured = await self.boxes.measure(
                self.asked.source, self.design, folder, 0, self.validation, f", trial {number}"
            )
            value = intervals.of_mean(measured.claim.validation)
            findings = claim.findings + measured.claim.findings
            return Tried(None if value is None else value.mean, False, claim.report.evaluations, findings)
        finally:
            shutil.rmtree(folder)

    async def suggested(self, question: SearchPayload) -> SearchClaim:
        return await self.boxes.search(question, self.into)

    def _payload(self, seed: int, more: Hyperparameters) -> TrainPayload:
        given = {one.name: one for one in (*more, *self.asked.hyperparameters)}  # the user comes first
        return self.asked.model_copy(update={"seed": seed, "hyperparameters": tuple(given.values())})
