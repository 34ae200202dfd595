"""A container's three standard streams over one attached socket."""

from __future__ import annotations

import asyncio
import socket
from typing import Final

_HEADER: Final = 8  # stream number, three zeros, length: the engine's own multiplexing
_STDOUT: Final = 1
_KEPT_STDERR: Final = 4096


class DockerStream:
    """The runner's stdin and stdout; the last of its stderr is kept to explain a start that failed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._pending = bytearray()
        self.stderr = b""

    @classmethod
    async def over(cls, attached: socket.socket) -> DockerStream:
        """Take over an attached socket."""
        reader, writer = await asyncio.open_connection(sock=attached, limit=2**20)
        return cls(reader, writer)

    async def send(self, data: bytes) -> None:
        """Hand bytes to the runner's stdin."""
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self) -> bytes:
        """The next bytes of the runner's stdout; empty when it is closed."""
        while data := await self._reader.read(2**18):
            self._pending += data
            if found := self._cut():
                return found
        return b""

    def ended(self) -> bool:
        """Whether the box is known to be gone."""
        return self._reader.at_eof()

    def close(self) -> None:
        """Close both directions at once; the engine then closes the box's stdin, and the runner ends."""
        self._writer.close()

    def _cut(self) -> bytes:
        parts, start = [], 0
        while len(self._pending) - start >= _HEADER:
            end = start + _HEADER + int.from_bytes(self._pending[start + 4 : start + _HEADER])
            if end > len(self._pending):
                break
            part = bytes(self._pending[start + _HEADER : end])
            if self._pending[start] == _STDOUT:
                parts.append(part)
            else:
                self.stderr = (self.stderr + part)[-_KEPT_STDERR:]
            start = end
        del self._pending[:start]
        return b"".join(parts)
