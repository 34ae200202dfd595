"""Speaking: what a piece of work says while it works, as the stream of a call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def spoken(work: Callable[[Callable[[T], None]], Awaitable[T]]) -> AsyncIterator[T]:
    """What `work` hands to its argument, as it comes, and last what it returns.

    Raises what the work raises, after all that it said. Closing the stream cancels the work.
    """
    said: asyncio.Queue[T | None] = asyncio.Queue()
    task = asyncio.ensure_future(work(said.put_nowait))
    task.add_done_callback(lambda _: said.put_nowait(None))
    try:
        while (one := await said.get()) is not None:
            yield one
        yield task.result()
    finally:
        task.cancel()
        await asyncio.wait({task})
