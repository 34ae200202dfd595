"""What an entry in a box may rely on: where its files are, and how it says things.

An entry is a module with `main(payload, say)`. It finds its input files in IN_DIR, leaves
artifacts in OUT_DIR, and says one JSON object at a time; the last one is `say("result", ...)`.
`say("keep", name=...)` has one of the job's `keep` files fetched soon, as it is by then: replace
such a file by another, and don't write into it.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Protocol

BOX_DIR = Path(os.environ.get("GYMWRIGHT_BOX_DIR", "/job"))
IN_DIR = BOX_DIR / "in"
OUT_DIR = BOX_DIR / "out"
TMP_DIR = BOX_DIR / "tmp"
KEEP = "keep"


class Say(Protocol):
    """Says one JSON object to our side of the box: {"kind": kind, **fields}."""

    def __call__(self, kind: str, /, **fields: object) -> None:
        """Raise ValueError for NaN, Infinity or an object over line_bytes; nothing is sent then."""


class Channel:
    """The Say that the runner gives to an entry: strict JSON lines on a pipe of their own."""

    def __init__(self, descriptor: int, line_bytes: int) -> None:
        self._descriptor = descriptor
        self._line_bytes = line_bytes
        self._turn = threading.Lock()
        # A forked helper must not hold the channel; an exec'd one can't (the pipe is close-on-exec).
        os.register_at_fork(after_in_child=self._close)

    def __call__(self, kind: str, /, **fields: object) -> None:
        line = json.dumps({**fields, "kind": kind}, allow_nan=False, separators=(",", ":"), default=_plain)
        data = line.encode() + b"\n"
        if len(data) > self._line_bytes:
            raise ValueError(f"an object of kind {kind!r} takes {len(data)} bytes; {self._line_bytes} is the limit")
        with self._turn:
            view = memoryview(data)
            while view:
                view = view[os.write(self._descriptor, view) :]

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _plain(value: object) -> object:
    """NumPy's scalars and arrays as plain numbers and lists; anything else is the entry's mistake."""
    tolist = getattr(value, "tolist", None)
    if callable(tolist):
        return tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")
