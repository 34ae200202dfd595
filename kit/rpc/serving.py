"""serve(): a gRPC server with health, reflection, the door, and a graceful stop, for every room."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from gymwright.channels import OPTIONS
from gymwright.tls import MutualTls
from kit.rpc.doors import Door
from kit.rpc.logs import set_up_logs
from kit.settings import RoomSettings, SettingsWrong, read_tls, read_token, require_credentials

log = structlog.get_logger()

GRACE_S: Final = 5.0  # for calls under way when the room is asked to stop

Register = Callable[[grpc.aio.Server], None]


@asynccontextmanager
async def listening(
    listen: str, register: Register, service: str, token: str | None = None, tls: MutualTls | None = None
) -> AsyncIterator[tuple[int, health.aio.HealthServicer]]:
    """A started server; yields its port and its health, and stops it with grace."""
    server = grpc.aio.server(interceptors=[Door(token)], options=[*OPTIONS, *_SERVER_OPTIONS])
    register(server)
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    names = (service, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    try:
        port = server.add_insecure_port(listen) if tls is None else server.add_secure_port(listen, tls.serving())
    except RuntimeError:
        raise SettingsWrong(f"Can't listen on {listen}: is the port taken, or the address wrong?") from None
    await server.start()
    for name in ("", service):
        await healthy.set(name, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield port, healthy
    finally:
        await healthy.enter_graceful_shutdown()
        await server.stop(GRACE_S)


async def serve(
    room: str,
    settings: RoomSettings,
    register: Register,
    service: str,
    on_stop: Callable[[], Awaitable[None]] | None = None,
    on_stopping: Callable[[], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then let calls under way end, call on_stop, and return.

    on_stopping: called at once, to end the calls that would not end by themselves.
    """
    set_up_logs(room, settings.shared.log_level)
    token = read_token(settings.shared.token_file)
    tls = read_tls(settings.shared)
    require_credentials(settings.listen, token, tls)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    try:
        async with listening(settings.listen, register, service, token, tls) as (port, _):
            log.info("serving", listen=settings.listen, port=port)
            await stopping.wait()
            log.info("stopping")
            if on_stopping is not None:
                on_stopping()
    finally:
        if on_stop is not None:
            await on_stop()


# A keepalive from a client every 30 s is welcome, also while no call is under way.
_SERVER_OPTIONS: Final[list[tuple[str, int]]] = [
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    # A machine that has no time for a while delivers pings in bunches; nobody is sent away for that.
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
]
