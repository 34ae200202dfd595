"""Boxes that wait, started and with the heavy imports done: each is handed out once, and replaced."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gymwright.errors import SandboxUnavailable
from kit.sandbox.docker_box import DockerBox

log = logging.getLogger(__name__)

RETRY_S = 5.0  # after a box that could not be started


class WarmPool:
    """Keeps `size` boxes ready, filled one at a time in the background."""

    def __init__(self, size: int, start: Callable[[], Awaitable[DockerBox]], idle_s: float) -> None:
        """idle_s: a box that waited longer is replaced, well before its deadline label."""
        self._size = size
        self._start = start
        self._idle_s = idle_s
        self._ready: deque[tuple[DockerBox, float]] = deque()
        self._wanted = asyncio.Event()
        self._changed = asyncio.Condition()
        self._problem: SandboxUnavailable | None = None
        self._filler: asyncio.Task[None] | None = None

    def claim(self) -> DockerBox | None:
        """A ready box, or None. It is the caller's alone from here on: nothing waits in between."""
        self.begin()
        while self._ready:
            box, _ = self._ready.popleft()
            self._wanted.set()
            if box.alive():
                return box
            box.stream.close()  # it has ended, so the engine removes it by itself
        return None

    async def full(self) -> None:
        """Return when every place is filled; SandboxUnavailable as soon as one can't be."""
        self.begin()
        self._problem = None
        async with self._changed:
            await self._changed.wait_for(lambda: self._problem or len(self._ready) >= self._size)
        if self._problem is not None:
            raise self._problem

    async def close(self) -> None:
        """Stop filling, and destroy every waiting box."""
        if self._filler is not None:
            self._filler.cancel()
            with suppress(asyncio.CancelledError):
                await self._filler
        while self._ready:
            box, _ = self._ready.popleft()
            await _quietly_destroy(box)

    def begin(self) -> None:
        """Start filling, if it has not been started."""
        if self._filler is None and self._size > 0:
            self._filler = asyncio.create_task(self._fill())

    async def _fill(self) -> None:
        while True:
            await self._drop_old()
            if len(self._ready) >= self._size:
                self._wanted.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._idle_s / 4):
                        await self._wanted.wait()
                continue
            try:
                box = await self._start()
            except SandboxUnavailable as problem:
                log.warning("no warm box: %s", problem)
                await self._tell(problem)
                await asyncio.sleep(RETRY_S)
                continue
            self._ready.append((box, time.monotonic()))
            await self._tell(None)

    async def _tell(self, problem: SandboxUnavailable | None) -> None:
        async with self._changed:
            self._problem = problem
            self._changed.notify_all()

    async def _drop_old(self) -> None:
        for entry in list(self._ready):
            box, since = entry
            if not box.alive() or time.monotonic() - since > self._idle_s:
                # Still there: nothing was awaited between the look and the removal of the last one.
                with suppress(ValueError):
                    self._ready.remove(entry)
                    await _quietly_destroy(box)


async def _quietly_destroy(box: DockerBox) -> None:
    with suppress(SandboxUnavailable):  # the reaper sees to it
        await box.destroy()
