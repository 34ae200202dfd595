"""The folder a training leaves: where its files belong, and the list of them with sizes and hashes."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kit.contracts.outcomes import Artifact
from kit.contracts.records import Record
from services.trainer.inside.payloads import Trace

TRACE_FILE: Final = "trace.csv"
SEEDS: Final = "seeds"  # the folder of those that were not kept, by their numbers
DEFAULT: Final = "default"  # after a search: with the settings of trial 0
TUNED: Final = "tuned"  # with those of the best trial
_SMALL: Final = ("policy.onnx", "results.csv", "training.json", "ladder_episodes.json")  # kept of these


def open_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def arrange(into: Path) -> None:
    """TensorBoard looks for event files by their names, in a folder a run."""
    events = into / "tensorboard.events"
    if events.is_file():
        (into / "tensorboard").mkdir(exist_ok=True)
        events.rename(into / "tensorboard" / "events.out.tfevents.0.gymwright")


def keep(into: Path, kept: Path) -> None:
    """The kept one's files go to `into`; of the others only small files stay where they are."""
    if kept != into:
        for path in kept.iterdir():
            path.rename(into / path.name)
        kept.rmdir()
    for top in (SEEDS, DEFAULT, TUNED):
        for path in tuple((into / top).rglob("*")):
            if path.is_file() and path.name not in _SMALL:
                path.unlink()


def write(path: Path, record: Record) -> None:
    path.write_text(record.model_dump_json(indent=1) + "\n")


def write_traces(path: Path, seed: int, traces: Sequence[Trace]) -> None:
    """The shown episodes, one row a step, policy after policy; nothing where nothing was traced."""
    if not traces:
        return
    columns = traces[0].columns
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["policy", "seed", *columns])
        for trace in traces:
            table.writerows([trace.policy, seed, *row] for row in trace.rows if trace.columns == columns)


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
