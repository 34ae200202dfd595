"""What a training leaves behind: gathered files, shares of the reward, and the note on how to reproduce it."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.formulas.tolerances import REWARD
from kit.contracts.outcomes import ComponentShare
from services.trainer.inside.faults import FILE
from services.trainer.inside.payloads import CurvePoint, TrainedWith, TrainPayload

LIBRARIES: Final = ("torch", "stable-baselines3", "sb3-contrib", "gymnasium", "numpy", "onnx", "onnxruntime")
_TENTH: Final = 10


def clear(*folders: Path) -> None:
    """Empty them, for a training that begins again."""
    for folder in folders:
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def monitored(folder: Path) -> str:
    """One monitor.csv of the library's format from one an environment, by the time the episodes ended."""
    header, rows = "", []
    for path in sorted(folder.glob("*.monitor.csv")):
        comment, columns, *lines = path.read_text().splitlines()
        header = header or f"{comment}\n{columns}\n"
        rows += [line for line in lines if line]
    rows.sort(key=lambda line: float(line.split(",")[2]))
    return header + "".join(f"{row}\n" for row in rows)


def events(folder: Path) -> bytes:
    """A training's event file; where it was resumed, what was before comes first, as one file of TensorBoard may."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("events.out.tfevents.*")))


def shares(design: EnvDesign, curve: Sequence[CurvePoint]) -> tuple[ComponentShare, ...]:
    """What each component added an episode in the first and in the last tenth of the curve."""
    if not curve:
        return ()
    few = max(len(curve) // _TENTH, 1)
    first, last = (
        np.average([p.components for p in part], axis=0, weights=[p.episodes for p in part])
        for part in (curve[:few], curve[-few:])
    )
    return tuple(
        ComponentShare(name=component.name, first=float(first[i]), last=float(last[i]))
        for i, component in enumerate(design.reward)
    )


def trained_with(asked: TrainPayload) -> TrainedWith:
    versions = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    return TrainedWith(
        libraries=(f"python {platform.python_version()}", *versions),
        threads=1,
        source_sha256=hashlib.sha256(asked.source.encode()).hexdigest(),
        design_sha256=asked.design.digest,
    )


def reward_differs(gap: float) -> tuple[Finding, ...]:
    """Training pays what the environment says; the ladder pays what the design says. They must be the same."""
    if gap <= REWARD:
        return ()
    return (
        Finding(
            check="training.reward",
            severity=Severity.WARNING,
            blame=Blame.CODE,
            message=f"the reward paid in training differs from the design's formulas by up to {gap:.3g} (scaled)",
            evidence=f"tolerance {REWARD:g}, over every step of the training",
            remedy="Return exactly the sum of weight x component, and components as the design's formulas give them.",
            file=FILE,
        ),
    )


def refused(why: Exception) -> Finding:
    return Finding(
        check="training.hyperparameters",
        severity=Severity.ERROR,
        blame=Blame.DESIGN,
        message=str(why),
        remedy="Use the names and ranges listed, or leave the hyperparameter out for the measured default.",
    )
