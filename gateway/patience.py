"""Patience: how long and how often something that is away for now is tried again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gymwright.errors import TryAgainLater
from kit.contracts.records import Record

T = TypeVar("T")

Note = Callable[[str], Awaitable[None]]


class Patience(Record):
    """Pauses double from first_s to most_s; after total_s of failures in a row it is enough."""

    total_s: float = 120.0
    first_s: float = 0.5
    most_s: float = 15.0


class Backoff:
    """One thing's tries. `note` is told of each pause, in a sentence."""

    def __init__(self, patience: Patience, note: Note) -> None:
        self._patience = patience
        self._note = note
        self._since: float | None = None
        self._pause = patience.first_s

    def worked(self) -> None:
        self._since = None
        self._pause = self._patience.first_s

    async def failed(self, failure: TryAgainLater) -> None:
        """Pause, or raise the failure where patience is at its end."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
        left = self._since + self._patience.total_s - now
        if left <= 0:
            raise type(failure)(f"{failure} Tried for {self._patience.total_s:g} s.") from failure
        pause = min(self._pause, left)
        self._pause = min(self._pause * 2, self._patience.most_s)
        await self._note(f"{failure} Trying again in {pause:.3g} s.")
        await asyncio.sleep(pause)


async def patiently(call: Callable[[], Awaitable[T]], patience: Patience, note: Note) -> T:
    """The call's result, tried again while it raises TryAgainLater and patience lasts."""
    backoff = Backoff(patience, note)
    while True:
        try:
            return await call()
        except TryAgainLater as failure:
            await backoff.failed(failure)
