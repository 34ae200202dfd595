"""The candidate's end: notes what its code does besides computing (files, sleeping, processes, prints)."""

from __future__ import annotations

import _thread
import functools
import io
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

from kit.inside.candidate.loading import FILE, own_line

MAX_NOTES = 40
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_ALWAYS = {
    "os.remove": "deletes a file",
    "os.rename": "renames a file",
    "os.mkdir": "makes a folder",
    "os.rmdir": "deletes a folder",
    "os.system": "starts a process",
    "os.fork": "starts a process",
    "os.exec": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.kill": "signals a process",
    "subprocess.Popen": "starts a process",
    "socket.connect": "uses the network",
    "socket.bind": "uses the network",
    "socket.getaddrinfo": "uses the network",
    "time.sleep": "sleeps",
    "ctypes.dlopen": "loads native code",
}


class Watch:
    """Counts events by what and where. An audit hook can't be removed, so there is one a process."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, int | None], int] = {}
        self.phase = "load"
        self.looking = True
        self.printed: dict[str, int] = {}
        self.sample: dict[str, str] = {}

    def start(self) -> None:
        """From now on, for the life of this process."""
        sys.addaudithook(self._audit)
        time.sleep = self._noting("time.sleep", time.sleep)
        threading._start_new_thread = self._noting(  # type: ignore[attr-defined]
            "_thread.start_new_thread", _thread.start_new_thread
        )
        sys.stdout = _Counting(sys.stdout, self._count)
        sys.stderr = _Counting(sys.stderr, self._count)

    def _noting(self, event: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Of these not every version of Python raises an audit event."""

        @functools.wraps(call)
        def noted(*args: Any) -> Any:
            self._audit(event, args)
            return call(*args)

        return noted

    def report(self) -> list[dict[str, object]]:
        """Everything noted so far: what, detail, phase, line, times."""
        notes: list[dict[str, object]] = [
            {"what": what, "phase": phase, "line": line, "times": times}
            for (what, phase, line), times in self._seen.items()
        ]
        notes += [
            {"what": "prints", "phase": phase, "line": None, "times": times, "sample": self.sample[phase]}
            for phase, times in self.printed.items()
        ]
        return notes

    def _audit(self, event: str, args: tuple[object, ...]) -> None:
        if event == "open":
            what = self._opening(args)
        elif event == "_thread.start_new_thread":
            what = "starts a thread"
        else:
            what = _ALWAYS.get(event)
        if what is None or not self.looking:
            return
        line = own_line()
        if line is None or (what == "reads a file" and _importing()):
            return
        key = (what, self.phase, line)
        if key in self._seen or len(self._seen) < MAX_NOTES:
            self._seen[key] = self._seen.get(key, 0) + 1

    def _opening(self, args: tuple[object, ...]) -> str | None:
        if len(args) < 3 or isinstance(args[0], int):
            return None
        writes = isinstance(args[2], int) and bool(args[2] & _WRITING)
        if isinstance(args[1], str):
            writes = any(letter in args[1] for letter in "wax+")
        if str(args[0]) == os.devnull:
            return None
        return "writes a file" if writes else "reads a file"

    def _count(self, text: str) -> None:
        self.printed[self.phase] = self.printed.get(self.phase, 0) + len(text)
        sample = self.sample.get(self.phase, "")
        self.sample[self.phase] = sample + text[: 100 - len(sample)]


class _Counting(io.TextIOBase):
    """Passes text on and counts what the candidate's own frames print."""

    def __init__(self, inner: TextIO, count: Callable[[str], None]) -> None:
        self._inner = inner
        self._count = count

    def write(self, text: str) -> int:
        self._count(text)
        return self._inner.write(text)

    def flush(self) -> None:
        self._inner.flush()

    def fileno(self) -> int:
        return self._inner.fileno()


def _importing() -> bool:
    """Whether an import, or the traceback machinery, opened the file, rather than the candidate."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != FILE:
        if "importlib" in frame.f_code.co_filename or frame.f_code.co_filename.endswith("linecache.py"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
