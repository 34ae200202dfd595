"""Writing a run's artifacts to disk: names and sizes come over the wire, so nothing of them is trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gymwright.errors import GymwrightError, StorageUnavailable
from gymwright.views import Artifact

MAX_FILES: Final = 10_000
MAX_NAME_CHARACTERS: Final = 400
_FORBIDDEN: Final = frozenset('\\:*?"<>|')  # of no use in a name, and a device or a drive on some systems


class DownloadRefused(GymwrightError):
    """What the gateway sent is not what it announced, or would land outside the folder."""


def place_of(name: str, into: Path) -> Path:
    """Where an artifact of this name belongs under `into`; DownloadRefused if its name leads anywhere else."""
    parts = name.split("/")
    if len(name) > MAX_NAME_CHARACTERS or any(_unfit(part) for part in parts):
        raise DownloadRefused(
            f"The gateway offers an artifact with an unsafe name ({name[:80]!r}); it was not written."
        )
    return into.joinpath(*parts)


@contextmanager
def landing(artifact: Artifact, into: Path) -> Iterator[tuple[Path, Landing]]:
    """A file that appears under its name only when it is complete and is what was announced."""
    place = place_of(artifact.name, into)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.parent.resolve().is_relative_to(into.resolve()):
            raise DownloadRefused(f"{place.parent} is a link that leads out of {into}; nothing was written there.")
        part = place.with_name(f".{place.name[:200]}.{os.getpid()}.part")
        part.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
                arriving = Landing(artifact, file.fileno())
                yield place, arriving
                arriving.check_complete()
            part.replace(place)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as problem:
        raise StorageUnavailable(f"{place} can't be written: {problem.strerror or problem}.") from None


class Landing:
    """Takes an artifact's chunks in order, and never more than was announced."""

    def __init__(self, artifact: Artifact, file: int) -> None:
        self._artifact = artifact
        self._file = file
        self._digest = hashlib.sha256()
        self._written = 0

    def write(self, chunk: bytes) -> None:
        self._written += len(chunk)
        if self._written > self._artifact.size:
            raise DownloadRefused(f"{self._artifact.name} is longer than the {self._artifact.size} bytes announced.")
        self._digest.update(chunk)
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def check_complete(self) -> None:
        if self._written < self._artifact.size:
            raise DownloadRefused(
                f"{self._artifact.name} ended after {self._written} of {self._artifact.size} bytes; download it again."
            )
        if self._digest.hexdigest() != self._artifact.sha256:
            raise DownloadRefused(f"{self._artifact.name} does not have the announced checksum; download it again.")


def _unfit(part: str) -> bool:
    return part in ("", ".", "..") or any(not sign.isprintable() or sign in _FORBIDDEN for sign in part)
