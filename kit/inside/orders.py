"""The job as the runner gets it over its standard input."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from kit.inside import frames
from kit.inside.strict import strict_object


@dataclass(frozen=True)
class Orders:
    """What one box is to do, and within which limits. Our own side wrote it, so it is believed."""

    entry: str
    payload: dict[str, object]
    files: list[tuple[str, int]]  # name and size, in the order the bytes follow
    take: list[str]
    keep: list[str]  # what may be fetched while the work goes on
    wall_s: float
    said_bytes: int
    line_bytes: int
    output_bytes: int
    artifact_bytes: int
    artifacts: int
    keeps: int
    received: float  # on the monotonic clock; wall_s counts from here, so that set-up is included


class OwnerGone(Exception):
    """Our side closed its end: there is nobody left to work for."""


def receive(source: int, work_dir: Path) -> Orders:
    """Wait for a job, and lay its files out in work_dir/in."""
    kind, length = frames.read_header(_exactly(source, frames.header_size()))
    if kind != frames.JOB or length > frames.JOB_BYTES:
        raise OwnerGone(f"a frame of kind {kind!r} and {length} bytes is no job")
    received = time.monotonic()
    orders = Orders(received=received, **strict_object(_exactly(source, length)))  # type: ignore[arg-type]
    for name in ("in", "out", "tmp"):
        (work_dir / name).mkdir(exist_ok=True)
    for name, size in orders.files:
        if not frames.is_plain(name):
            raise OwnerGone(f"{name!r} is no plain name")
        with (work_dir / "in" / name).open("xb") as file:
            while size:
                part = _exactly(source, min(size, frames.CHUNK))
                file.write(part)
                size -= len(part)
    return orders


def _exactly(source: int, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(source, size - len(parts))
        if not part:
            raise OwnerGone
        parts += part
    return bytes(parts)
