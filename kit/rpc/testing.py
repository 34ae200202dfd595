"""A room on a real socket for the length of a test, or of a demonstration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gymwright.tls import MutualTls
from kit.rpc.serving import Register, listening


@asynccontextmanager
async def serving_for_test(
    register: Register, service: str = "", token: str | None = None, tls: MutualTls | None = None
) -> AsyncIterator[str]:
    """Yields host:port of a free port on loopback."""
    async with listening("127.0.0.1:0", register, service, token, tls) as (port, _):
        yield f"127.0.0.1:{port}"
