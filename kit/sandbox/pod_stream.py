"""A container's three standard streams over one attached WebSocket."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import aiohttp

STDIN: Final = b"\x00"  # the first byte of each message says which stream it belongs to (v4.channel.k8s.io)
STDOUT: Final = 1
STDERR: Final = 2
PART: Final = 32 * 1024  # what every server on the way takes as one message
CLOSING_S: Final = 1.0
_KEPT_STDERR: Final = 4096


class PodStream:
    """The runner's stdin and stdout; the last of its stderr is kept to explain a start that failed."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.stderr = b""
        self.spoke = False  # whether anything came on stdout

    async def send(self, data: bytes) -> None:
        """Hand bytes to the runner's stdin."""
        for start in range(0, len(data), PART):
            await self._socket.send_bytes(STDIN + data[start : start + PART])

    async def receive(self) -> bytes:
        """The next bytes of the runner's stdout; empty when it is closed."""
        async for message in self._socket:
            if message.type is not aiohttp.WSMsgType.BINARY or len(message.data) < 2:
                continue  # an empty message only opens a stream
            if message.data[0] == STDOUT:
                self.spoke = True
                return bytes(message.data[1:])
            if message.data[0] == STDERR:
                self.stderr = (self.stderr + message.data[1:])[-_KEPT_STDERR:]
        return b""

    async def close(self) -> None:
        """Close all streams; the cluster then closes the box's stdin, and the runner ends."""
        with suppress(TimeoutError, aiohttp.ClientError, OSError):
            async with asyncio.timeout(CLOSING_S):
                await self._socket.close()
