"""Where the house stands: whether the services are on this machine, their settings, and the lock on their data."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final

import gymwright
from gymwright.errors import NotReady, StorageUnavailable

NEEDED: Final = ("pydantic_settings", "structlog", "grpc_health", "dbos")  # of the extra named `services`


class NoServicesHere(NotReady):
    """Only the client is installed on this machine."""


def interpreter() -> list[str]:
    """The start of a command that runs a module of the services; cwd's folders can't shadow theirs."""
    return [sys.executable, "-P", "-m"]


def room_environment() -> dict[str, str]:
    """This environment, with the checkout that holds the services in front. NoServicesHere if there is none."""
    root = Path(gymwright.__file__).resolve().parents[1]
    # Rooms here listen on loopback, which needs no certificates; those that are set are for a gateway elsewhere.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GYMWRIGHT_TLS_")}
    environment["PYTHONUNBUFFERED"] = "1"
    if (root / "services").is_dir() and (root / "kit").is_dir():
        others = os.environ.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{others}" if others else str(root)
    elif find_spec("services") is None or find_spec("kit") is None:
        raise NoServicesHere(
            "The services are not on this machine, only the client is. Use a checkout of the repository"
            " (`pip install -e '.[services]'`), or --gateway to reach services elsewhere."
        )
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise NoServicesHere(
            f"The services' libraries are not installed ({', '.join(missing)}): pip install -e '.[services]'"
        )
    return environment


class Lock:
    """Keeps two houses from sharing one data folder; freed by the kernel, however the holder ends."""

    def __init__(self, data: Path) -> None:
        self._path = data / "house.lock"

    def __enter__(self) -> Lock:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("w")
        except OSError as problem:
            raise StorageUnavailable(f"{self._path.parent} can't be used: {problem.strerror}.") from None
        import fcntl  # not on every system that a client runs on

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise NotReady(f"Services already run on {self._path.parent}; use those, or another --data.") from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()
