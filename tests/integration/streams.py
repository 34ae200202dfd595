"""Streams: what an agent's call says until its end."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TypeVar

T = TypeVar("T")


async def heard(stream: AsyncIterable[T]) -> list[T]:
    """All of it; the last is the answer."""
    return [said async for said in stream]
