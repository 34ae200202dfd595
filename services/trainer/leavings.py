"""The folder a training leaves: where its files belong, and the list of them with sizes and hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from kit.contracts.outcomes import Artifact
from kit.contracts.records import Record


def arrange(into: Path) -> None:
    """TensorBoard looks for event files by their names, in a folder a run."""
    events = into / "tensorboard.events"
    if events.is_file():
        (into / "tensorboard").mkdir(exist_ok=True)
        events.rename(into / "tensorboard" / "events.out.tfevents.0.gymwright")


def write(path: Path, record: Record) -> None:
    path.write_text(record.model_dump_json(indent=1) + "\n")


def artifacts(folder: Path) -> tuple[Artifact, ...]:
    """Every file in the folder, by its name within it."""
    return tuple(
        Artifact(name=path.relative_to(folder).as_posix(), size=path.stat().st_size, sha256=_sha256(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
