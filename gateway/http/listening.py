"""Listening: uvicorn beside gRPC in the gateway's own loop, stopped with grace."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn

from gateway.http.app import http_app
from gateway.runs import Runs
from gymwright.tls import MutualTls
from kit.settings import SettingsWrong, require_credentials

GRACE_S: Final = 2  # for answers under way; a stream that is cut then is one to ask for again


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the room's own affair."""
        yield


@asynccontextmanager
async def http_listening(
    runs: Runs, listen: str, token: str | None = None, tls: MutualTls | None = None
) -> AsyncIterator[int]:
    """Yields the port; 0 where `listen` is empty, which turns HTTP off."""
    if not listen:
        yield 0
        return
    require_credentials(listen, token, tls)
    bound = _bound(listen)
    app = http_app(runs, token, listen.rpartition(":")[0], encrypted=tls is not None)
    server = _Server(
        uvicorn.Config(
            app,
            loop="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=GRACE_S,
            ssl_certfile=tls.cert if tls else None,
            ssl_keyfile=tls.key if tls else None,
            ssl_ca_certs=str(tls.ca) if tls else None,
            ssl_cert_reqs=ssl.CERT_REQUIRED if tls else ssl.CERT_NONE,
        )
    )
    serving = asyncio.create_task(server.serve(sockets=[bound]), name="http")
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        bound.close()


def _bound(listen: str) -> socket.socket:
    """Listening already, so that whoever calls before uvicorn is ready waits instead of being refused."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, int(port)), family=family, backlog=128)
    except (OSError, ValueError, OverflowError):
        raise SettingsWrong(f"Can't listen on {listen}: is the port taken, or the address wrong?") from None
