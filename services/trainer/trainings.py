"""Trainings as jobs: started once for each key, watched by number; their files go to the artifact store."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from gymwright.errors import PayloadTooLarge, RequestWrong
from kit.artifacts import ArtifactStore
from kit.contracts.design import EnvDesign
from kit.contracts.runs import JobKey, RunOptions, TrainingProgress
from kit.contracts.said import TrainSaid
from kit.jobs import JobBoard, Say
from services.trainer.shelf import Shelf
from services.trainer.training import Training, TrainSettings, refuse_impossible

MAX_SOURCE_BYTES: Final = 256 * 1024


class Trainings:
    """Every training under way in this trainer. sandbox: what kind of box it uses, in a sentence."""

    def __init__(self, training: Training, store: ArtifactStore, sandbox: str) -> None:
        self._training = training
        self._store = store
        self._board: JobBoard[TrainSaid] = JobBoard()
        self.sandbox = sandbox

    def start(self, key: JobKey, source: str, design: EnvDesign, options: RunOptions, twin: str = "") -> None:
        """Start the training of this key, unless it was started before.

        RequestWrong: the source or the options can't be; PayloadTooLarge: the source is too long.
        """
        refuse_impossible(design, TrainSettings.of(options))
        if not source.strip():
            raise RequestWrong("There is no source to train on.")
        if max(len(source.encode()), len(twin.encode())) > MAX_SOURCE_BYTES:
            raise PayloadTooLarge(f"The source is over {MAX_SOURCE_BYTES // 1024} KiB.")

        async def work(say: Say[TrainSaid]) -> None:
            with tempfile.TemporaryDirectory(prefix="gymwright-training-") as folder:
                await self._train_into(Path(folder), key, source, design, options, twin, say)

        self._board.start(key, work)

    async def _train_into(
        self,
        folder: Path,
        key: JobKey,
        source: str,
        design: EnvDesign,
        options: RunOptions,
        twin: str,
        say: Say[TrainSaid],
    ) -> None:
        shelf = Shelf(self._store, key.run_id)

        def progress(step: TrainingProgress) -> None:
            say(TrainSaid(progress=step))

        outcome = await self._training.train(
            source,
            design,
            TrainSettings.of(options),
            folder,
            owner=key.run_id,
            on_progress=progress,
            on_note=lambda note: say(TrainSaid(note=note)),
            twin=twin,
            shelf=shelf,
        )
        stored = [
            await self._store.put_file(key.run_id, artifact.name, folder / artifact.name)
            for artifact in outcome.artifacts
        ]
        await shelf.clear()
        say(TrainSaid(outcome=outcome.model_copy(update={"artifacts": tuple(stored)})))

    async def watch(self, key: JobKey, after: int) -> AsyncIterator[TrainSaid]:
        """What the training said after number `after`; ends after the outcome."""
        async for sequence, said in self._board.watch(key, after):
            yield said.model_copy(update={"sequence": sequence})

    async def cancel(self, key: JobKey) -> None:
        await self._board.cancel(key)

    async def close(self) -> None:
        await self._board.close()
