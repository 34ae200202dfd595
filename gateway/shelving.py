"""Shelving: each attempt's files lie together; those of the attempt that counts lie at the top of the run."""

from __future__ import annotations

from typing import Final

from gateway.attempts import folder_of
from kit.artifacts import ArtifactStore

PROBLEM: Final = "problem.txt"
REVIEW_DIFF: Final = "review.diff"
OF_THE_RUN: Final = (PROBLEM, REVIEW_DIFF)  # not of an attempt


class Shelf:
    """Both may be repeated after a crash in the middle; StorageUnavailable where the store can't be used."""

    def __init__(self, artifacts: ArtifactStore) -> None:
        self._artifacts = artifacts

    async def set_aside(self, run_id: str, number: int) -> None:
        """Move what lies at the top into the folder of this attempt."""
        for artifact in await self._artifacts.list(run_id):
            if artifact.name not in OF_THE_RUN and not artifact.name.startswith("attempt-"):
                await self._artifacts.move(run_id, artifact.name, f"{folder_of(number)}/{artifact.name}")

    async def bring_back(self, run_id: str, number: int) -> None:
        """Move the files of this attempt to the top."""
        folder = f"{folder_of(number)}/"
        for artifact in await self._artifacts.list(run_id):
            if artifact.name.startswith(folder):
                await self._artifacts.move(run_id, artifact.name, artifact.name.removeprefix(folder))
