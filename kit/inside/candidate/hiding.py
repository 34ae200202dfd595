"""The candidate's end: nothing that a source can look up says who runs it, and all of it can be changed at once."""

from __future__ import annotations

import datetime
import importlib
import os
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

OURS = ("kit", "services", "gymwright")
_ROOT = Path(__file__).resolve().parents[3]
LATER_S = 1e9  # thirty years
_CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")


class Hidden:
    """Modules of ours, taken out of sys.modules for as long as the candidate's source is loaded."""

    def __init__(self) -> None:
        self._ours: dict[str, types.ModuleType] = {}

    def hide(self) -> None:
        """Before the source is loaded. What refers to these modules already goes on working."""
        sys.argv = [""]
        for name in [name for name in os.environ if name == "PYTHONPATH" or name.startswith("GYMWRIGHT")]:
            del os.environ[name]
        sys.modules["__main__"] = types.ModuleType("__main__")
        self._put_away()

    def module(self, name: str) -> types.ModuleType:
        """One of ours by its dotted name, imported if need be."""
        if name in self._ours:
            return self._ours[name]
        sys.modules.update(self._ours)
        sys.path.append(str(_ROOT))
        try:
            return importlib.import_module(name)
        finally:
            if self._ours:
                self._put_away()

    def _put_away(self) -> None:
        if _ROOT.name != "site-packages":
            sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != _ROOT]
        for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
            self._ours[name] = sys.modules.pop(name)


def elsewhere(pace: float) -> None:
    """Other surroundings for what is loaded from now on.

    Clocks that are thirty years ahead and run `pace` times as fast, another command line, and every environment
    variable set.
    """
    sys.argv = ["train.py", "--train"]
    os.environ = _Anything(os.environ)  # type: ignore[assignment]  # noqa: B003
    hurried = types.ModuleType("time")
    vars(hurried).update(vars(time))
    for name in _CLOCKS:
        read = _hurried(getattr(time, name), pace)
        setattr(hurried, name, read)
        setattr(hurried, f"{name}_ns", lambda read=read: int(read() * 1e9))
    sys.modules["time"] = hurried
    sys.modules["datetime"] = _dates(hurried.time)


def _hurried(read: Callable[[], float], pace: float) -> Callable[[], float]:
    began = read()
    return lambda: began + LATER_S + pace * (read() - began)


def _dates(now: Callable[[], float]) -> types.ModuleType:
    class Datetime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Datetime:
            return cls.fromtimestamp(now(), tz)

    class Date(datetime.date):
        @classmethod
        def today(cls) -> Date:
            return cls.fromtimestamp(now())

    hurried = types.ModuleType("datetime")
    vars(hurried).update({**vars(datetime), "datetime": Datetime, "date": Date})
    return hurried


class _Anything(dict[str, str]):
    """Environment variables of which there is none that is not set."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return "1"

    def get(self, name: str, default: object = None) -> str:
        return self[name]
