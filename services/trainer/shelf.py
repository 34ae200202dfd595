"""The shelf: the latest checkpoint of each training of a run, in the artifact store until the run has its outcome.

A box wrote them, so here they are bytes that nobody opens, of a bounded size, for a fresh box with the same work only.
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import Final

import structlog

from gymwright.errors import ArtifactNotFound, StorageUnavailable
from kit.artifacts import ArtifactStore
from services.trainer.inside.payloads import MOST_CHECKPOINT_BYTES, TrainPayload

log = structlog.get_logger()

FOLDER: Final = "checkpoints"


class Shelf:
    """Of one run. A store that is away for a moment costs a checkpoint, never a training."""

    def __init__(self, store: ArtifactStore, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._writing: dict[str, asyncio.Task[None]] = {}

    def keep(self, name: str, checkpoint: bytes) -> None:
        """Begin to write it, in the place of the one before."""
        if 0 < len(checkpoint) <= MOST_CHECKPOINT_BYTES:
            self._writing[name] = asyncio.create_task(self._write(name, checkpoint, self._writing.get(name)))

    async def latest(self, name: str) -> bytes:
        """Nothing where there is none."""
        if (writing := self._writing.pop(name, None)) is not None:
            await writing
        found = bytearray()
        try:
            async for chunk in self._store.read(self._run_id, name):
                found += chunk
                if len(found) > MOST_CHECKPOINT_BYTES:
                    return b""
        except ArtifactNotFound:
            return b""
        except StorageUnavailable as failure:
            log.warning("checkpoint not read", run=self._run_id, reason=str(failure))
            return b""
        return bytes(found)

    async def clear(self) -> None:
        """Delete all; the run has its outcome."""
        await asyncio.gather(*self._writing.values())
        self._writing.clear()
        try:
            for artifact in await self._store.list(self._run_id, FOLDER):
                await self._store.delete(self._run_id, artifact.name)
        except (ArtifactNotFound, StorageUnavailable) as failure:
            log.warning("checkpoints left behind", run=self._run_id, reason=str(failure))

    async def _write(self, name: str, checkpoint: bytes, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        try:
            await self._store.put_bytes(self._run_id, name, checkpoint)
        except StorageUnavailable as failure:
            log.warning("checkpoint not kept", run=self._run_id, reason=str(failure))


def name_of(asked: TrainPayload) -> str:
    """The same for the same work only; what a trial has to beat doesn't change its work."""
    work = asked.model_copy(update={"bars": ()}).model_dump_json()
    return f"{FOLDER}/{hashlib.sha256(work.encode()).hexdigest()[:32]}.zip"
