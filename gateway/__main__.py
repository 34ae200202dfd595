"""The gateway's room: starts runs, conducts the five services and tells what happens; gRPC on 50050, HTTP on 8080."""

from __future__ import annotations

import asyncio

from pydantic import NonNegativeInt, PositiveFloat

from gateway.clients import Addresses, Deadlines
from gateway.http import http_listening
from gateway.opening import GatewayParts, opened
from gateway.patience import Patience
from gateway.servicer import GatewayServicer
from gateway.steps import Rules
from gymwright.v1.gateway_pb2_grpc import add_GatewayServiceServicer_to_server
from kit.rpc import serve
from kit.settings import RoomSettings, read_settings, read_tls, read_token


class GatewaySettings(RoomSettings, env_prefix="GYMWRIGHT_GATEWAY_"):
    """GYMWRIGHT_GATEWAY_LISTEN, _DATABASE, _DESIGNER, _CODER, _EXECUTOR, _TRAINER, _REPORTER, and so on."""

    listen: str = "127.0.0.1:50050"
    http_listen: str = "127.0.0.1:8080"  # empty: no HTTP
    database: str = "sqlite:///gymwright.db"  # or postgresql://user:password@host/name
    executor_id: str = "gateway"  # runs under way belong to it; keep it over restarts
    designer: str = Addresses().designer
    coder: str = Addresses().coder
    executor: str = Addresses().executor
    trainer: str = Addresses().trainer
    reporter: str = Addresses().reporter
    fixes_allowed: NonNegativeInt = 2  # by the coder, in the whole run
    revisions_allowed: NonNegativeInt = 1  # by the designer, in the whole run
    questions_allowed: NonNegativeInt = 3  # by the designer to the user, in the whole run
    max_cost_usd: PositiveFloat | None = None  # for language models in each run; a run's own ceiling can be lower
    patience_s: PositiveFloat = 120.0  # how long a service may be away before the run fails
    call_s: PositiveFloat = Deadlines().call_s  # the deadline of a short call to a service
    think_s: PositiveFloat = Deadlines().think_s  # until a design or a draft is there, all in all
    silence_s: PositiveFloat = Deadlines().silence_s  # while it is written, until the next word; a person may need more


def parts_of(settings: GatewaySettings) -> GatewayParts:
    agents = {name: getattr(settings, name) for name in Addresses.model_fields}
    return GatewayParts(
        database=settings.database,
        executor_id=settings.executor_id,
        artifacts=settings.artifacts,
        addresses=Addresses(**agents),
        rules=Rules(**{name: getattr(settings, name) for name in Rules.model_fields}),
        patience=Patience(total_s=settings.patience_s),
        deadlines=Deadlines(call_s=settings.call_s, think_s=settings.think_s, silence_s=settings.silence_s),
        max_cost_usd=settings.max_cost_usd,
    )


async def main() -> None:
    settings = read_settings(GatewaySettings)
    token = read_token(settings.shared.token_file)
    tls = read_tls(settings.shared)
    async with opened(parts_of(settings), token, tls) as runs, http_listening(runs, settings.http_listen, token, tls):
        await serve(
            "gateway",
            settings,
            lambda server: add_GatewayServiceServicer_to_server(GatewayServicer(runs), server),
            "gymwright.v1.GatewayService",
            on_stopping=runs.end_watches,
        )


if __name__ == "__main__":
    asyncio.run(main())
