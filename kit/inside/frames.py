"""The frames that driver and runner exchange: a kind of one byte, a length of four, a body."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

# From the runner.
READY: Final = b"R"  # JSON: what was loaded
SAID: Final = b"S"  # one strict JSON object of the entry
OUTPUT: Final = b"O"  # eight bytes: how many were dropped; then head and tail together
FILE: Final = b"F"  # JSON: name and size of the artifact that the following DATA frames hold
KEPT: Final = b"K"  # the same, of a file as it was when the work said that it should be kept, while the work goes on
DATA: Final = b"D"
END: Final = b"E"  # JSON: how the work ended; nothing follows
# To the runner.
JOB: Final = b"J"  # JSON; the input files follow unframed, in the order it names them

DROPPED: Final = struct.Struct(">Q")
CHUNK: Final = 256 * 1024
JOB_BYTES: Final = 64 * 2**20
LINE_COST: Final = 256  # bytes that a line counts for beyond its own: what a small object takes when held

_HEADER: Final = struct.Struct(">cI")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class BadFrame(ValueError):
    """What arrived is not a frame, or one that is too long."""


def frame(kind: bytes, body: bytes = b"") -> bytes:
    """One frame as bytes."""
    return _HEADER.pack(kind, len(body)) + body


def header_size() -> int:
    """How many bytes come before a body."""
    return _HEADER.size


def read_header(data: bytes) -> tuple[bytes, int]:
    """Kind and length of the body that follows."""
    kind, length = _HEADER.unpack(data)
    return kind, length


def is_plain(name: str) -> bool:
    """True for a file name that is safe anywhere: letters, digits, dot, dash, underscore; no folder."""
    return _PLAIN_NAME.fullmatch(name) is not None


class FrameReader:
    """Cuts a stream into frames as it arrives, holding no more than one body."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Every frame that `data` completes; BadFrame at the first that is not one."""
        self._pending += data
        start = 0
        while len(self._pending) - start >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._pending, start)
            if kind not in b"RSOFKDE" or length > self._longest:
                raise BadFrame(f"a frame of kind {kind!r} and {length} bytes")
            body_at = start + _HEADER.size
            if len(self._pending) - body_at < length:
                break
            yield kind, bytes(self._pending[body_at : body_at + length])
            start = body_at + length
        del self._pending[:start]
