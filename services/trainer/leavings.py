"""The folder a training leaves: where its files belong, and the list of them with sizes and hashes."""

from __future__ import annotations

import csv
import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kit.contracts.outcomes import Artifact
from kit.contracts.records import Record
from services.trainer.inside.payloads import Trace

TRACE_FILE: Final = "trace.csv"
SEEDS: Final = "seeds"  # the folder of those that were not kept, by their numbers
_SMALL: Final = ("policy.onnx", "results.csv", "training.json", "ladder_episodes.json")  # kept of these


def arrange(into: Path) -> None:
    """TensorBoard looks for event files by their names, in a folder a run."""
    events = into / "tensorboard.events"
    if events.is_file():
        (into / "tensorboard").mkdir(exist_ok=True)
        events.rename(into / "tensorboard" / "events.out.tfevents.0.gymwright")


def keep(into: Path, folders: Sequence[Path], kept: Path) -> None:
    """The kept one's files go to `into`; of the others only small files stay where they are."""
    if kept == into:
        return
    for path in kept.iterdir():
        path.rename(into / path.name)
    kept.rmdir()
    for folder in folders:
        for path in () if folder == kept else tuple(folder.iterdir()):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in _SMALL:
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
