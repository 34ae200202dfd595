"""Turns: several pieces of work, a few at a time; the first that fails ends the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


async def in_turns(work: Callable[[Asked], Awaitable[Answer]], asked: Iterable[Asked], at_once: int) -> list[Answer]:
    """The answers in the order asked. Raises what the first failure raised, when the others have been cancelled."""
    turns = asyncio.Semaphore(at_once)

    async def one(what: Asked) -> Answer:
        async with turns:
            return await work(what)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(what)) for what in asked]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]
