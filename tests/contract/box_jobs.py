"""What the sandbox's contract tests are written with: scripts as jobs, and a look at the host."""

from __future__ import annotations

import time
from pathlib import Path

from kit.sandbox.jobs import Job, Limits


def python(
    source: str,
    *,
    files: dict[str, bytes] | None = None,
    take: tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
    **limits,
) -> Job:
    """A job that runs a script in which say, IN_DIR and OUT_DIR are known."""
    return Job(
        entry="kit.inside.script",
        payload={"source": source},
        files=files or {},
        take=take,
        keep=keep,
        owner="contract-test",
        limits=Limits(**{"wall_s": 20.0, "memory_mib": 256, "work_mib": 64, **limits}),
    )


def processes_with(word: str) -> list[int]:
    """Host processes whose command line has the word."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                if word.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def until(condition, within_s: float) -> bool:
    """Whether the condition came true in time, by polling."""
    give_up = time.monotonic() + within_s
    while time.monotonic() < give_up:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())
