"""What a local driver that was killed could not clear away: empty control groups and folders."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from kit.sandbox.cgroups import MOUNT

YOUNG_S: Final = 600.0  # left alone: its owner may live in another process namespace


def own_name(what: str) -> str:
    """The beginning of a name that says which process owns it."""
    return f"gymwright-{what}-{os.getpid()}-"


def sweep() -> None:
    """Remove what belongs to processes that are gone. A box itself never outlives its owner."""
    places = [Path(tempfile.gettempdir()), MOUNT, *(MOUNT / part for part in ("memory", "pids", "cpu"))]
    for place in places:
        for left in place.glob("gymwright-*-*-*"):
            with suppress(OSError):
                if _is_left(left):
                    # A control group is removed as such, and only if it is empty.
                    left.rmdir() if left.is_relative_to(MOUNT) else shutil.rmtree(left, ignore_errors=True)


def _is_left(place: Path) -> bool:
    owner = re.fullmatch(r"gymwright-[a-z]+-(\d+)-\w+", place.name)
    about = place.lstat()
    return (
        owner is not None
        and not Path("/proc", owner[1]).exists()
        and about.st_uid == os.geteuid()
        and time.time() - about.st_mtime > YOUNG_S
    )
