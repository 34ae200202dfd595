"""Messages on the pipe: a JSON head and the bytes of its arrays, both bounded; reading and writing have deadlines."""

from __future__ import annotations

import json
import os
import select
import struct
from dataclasses import dataclass

from kit.inside.candidate.patience import Patience
from kit.inside.candidate.values import MAX_BLOB

MAX_HEAD = 16 * 2**20
_SIZES = struct.Struct(">II")
_CHUNK = 2**20


class Closed(Exception):
    """The other side is gone."""


class Nonsense(ValueError):
    """What arrived is not a message."""


@dataclass(frozen=True)
class Message:
    head: dict[str, object]
    blob: bytes


def encode(head: dict[str, object], blobs: list[bytes]) -> bytes:
    """One message as bytes."""
    text = json.dumps(head, separators=(",", ":")).encode()
    size = sum(map(len, blobs))
    if len(text) > MAX_HEAD or size > MAX_BLOB:
        raise ValueError(f"a message of {len(text)} + {size} bytes is too large")
    return b"".join([_SIZES.pack(len(text), size), text, *blobs])


class Pipe:
    """One end: reads from one descriptor, writes to another; both non-blocking at the judge's end."""

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink

    def send(self, data: bytes, patience: Patience | None = None) -> None:
        """Write all of it; TimeoutError when patience is over, Closed where nobody reads."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self.sink, view) :]
            except BlockingIOError:
                _wait(self.sink, select.POLLOUT, patience)
            except BrokenPipeError:
                raise Closed from None

    def receive(self, patience: Patience | None = None) -> Message:
        """The next message; TimeoutError, Closed, or Nonsense."""
        head_size, blob_size = _SIZES.unpack(self._exactly(_SIZES.size, patience))
        if head_size > MAX_HEAD or blob_size > MAX_BLOB:
            raise Nonsense(f"a message of {head_size} + {blob_size} bytes")
        text = self._exactly(head_size, patience)
        blob = self._exactly(blob_size, patience) if blob_size else b""
        try:
            head = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise Nonsense(str(problem)[:200]) from None
        if not isinstance(head, dict):
            raise Nonsense("the head is not an object")
        return Message(head, blob)

    def close(self) -> None:
        for descriptor in (self.source, self.sink):
            os.close(descriptor)

    def _exactly(self, size: int, patience: Patience | None) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = os.read(self.source, min(size, _CHUNK))
            except BlockingIOError:
                _wait(self.source, select.POLLIN, patience)
                continue
            if not part:
                raise Closed
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _wait(descriptor: int, event: int, patience: Patience | None) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    while patience is not None:
        left = patience.left()
        if left <= 0:
            raise TimeoutError
        if poll.poll(left * 1000 + 1):
            return
    poll.poll()
