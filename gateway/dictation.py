"""Dictation: text that a model writes becomes events, about one a second, in the order of writing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final

from kit.contracts.runs import TextWritten

EVERY_S: Final = 1.0
MOST: Final = 4096  # characters that wait


class Dictation:
    """Enter it, write() the pieces as they come, and flush() before anything else is told; leaving flushes too.

    anew: an earlier text for the same purpose was told, so the first piece restarts it.
    """

    def __init__(self, tell: Callable[[TextWritten], Awaitable[None]], anew: bool, every_s: float = EVERY_S) -> None:
        self._tell = tell
        self._anew = anew
        self._every_s = every_s
        self._pieces: list[TextWritten] = []
        self._begun, self._full, self._telling = asyncio.Event(), asyncio.Event(), asyncio.Lock()

    async def __aenter__(self) -> Dictation:
        self._pace = asyncio.create_task(self._paced(), name="dictation")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._pace.cancel()
        await asyncio.wait({self._pace})
        await self.flush()

    def write(self, piece: TextWritten) -> None:
        self._pieces.append(piece.model_copy(update={"restarts": piece.restarts or self._anew}))
        self._anew = False
        self._begun.set()
        if sum(len(each.text) for each in self._pieces) >= MOST:
            self._full.set()

    async def flush(self) -> None:
        """Tell what waits."""
        async with self._telling:
            while self._pieces:
                told, self._pieces = coalesced(self._pieces), []
                self._begun.clear()
                self._full.clear()
                for piece in told:
                    await self._tell(piece)

    async def _paced(self) -> None:
        while True:
            await self._begun.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._full.wait()
            await self.flush()


def coalesced(pieces: Sequence[TextWritten]) -> tuple[TextWritten, ...]:
    """Consecutive pieces of one purpose as one; a piece that restarts begins a new one."""
    told: list[TextWritten] = []
    for piece in pieces:
        if told and piece.purpose == told[-1].purpose and not piece.restarts:
            told[-1] = told[-1].model_copy(update={"text": told[-1].text + piece.text})
        else:
            told.append(piece)
    return tuple(told)
