"""A gateway in this process, between the fakes and a client, for the length of a test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.clients import Addresses, Deadlines
from gateway.opening import GatewayParts, opened
from gateway.patience import Patience
from gateway.servicer import GatewayServicer
from gymwright.async_client import AsyncClient
from gymwright.v1.gateway_pb2_grpc import add_GatewayServiceServicer_to_server
from gymwright.views import RunEvent
from kit.rpc.testing import serving_for_test
from tests.integration.agents import Script, agents

HASTY = Patience(total_s=1.5, first_s=0.05, most_s=0.2)


def parts(folder: Path, addresses: Addresses, patience: Patience = HASTY) -> GatewayParts:
    return GatewayParts(
        database=f"sqlite:///{folder}/gymwright.db",
        artifacts=str(folder / "runs"),
        addresses=addresses,
        patience=patience,
        deadlines=Deadlines(call_s=3.0, think_s=3.0, report_s=3.0),
    )


@asynccontextmanager
async def gateway(parts: GatewayParts) -> AsyncIterator[AsyncClient]:
    async with (
        opened(parts) as runs,
        serving_for_test(lambda server: add_GatewayServiceServicer_to_server(GatewayServicer(runs), server)) as address,
        AsyncClient(address, patience_s=10) as client,
    ):
        yield client


@asynccontextmanager
async def house(folder: Path, script: Script) -> AsyncIterator[AsyncClient]:
    """The fakes, a gateway and a client of it."""
    async with agents(script) as addresses, gateway(parts(folder, addresses)) as client:
        yield client


async def events_of(client: AsyncClient, run_id: str, after: int = 0) -> list[RunEvent]:
    """All of them, once the run rests."""
    return [event async for event in client.watch(run_id, after)]
