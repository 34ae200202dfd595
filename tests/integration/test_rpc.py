"""A room over a real socket: health, reflection, the token, and errors that arrive as what they were."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from gymwright.channels import open_channel
from gymwright.errors import GymwrightError, RunNotFound, SandboxUnavailable, ServiceUnavailable, Unauthenticated
from gymwright.failures import translated
from gymwright.v1.gateway_pb2 import GetRunRequest, GetRunResponse, WatchRunRequest, WatchRunResponse
from gymwright.v1.gateway_pb2_grpc import (
    GatewayServiceServicer,
    GatewayServiceStub,
    add_GatewayServiceServicer_to_server,
)
from kit.rpc.testing import serving_for_test

SERVICE = "gymwright.v1.GatewayService"
TOKEN = "a-token-of-more-than-sixteen-characters"


class Failing(GatewayServiceServicer):
    """Fails as its run id says."""

    async def GetRun(self, request, context) -> GetRunResponse:
        if request.run_id in ("missing", "no-such-run"):
            raise RunNotFound(f"No run has the id {request.run_id}.")
        if request.run_id == "bug":
            raise ZeroDivisionError("a secret of ours")
        return GetRunResponse()

    async def WatchRun(self, request, context) -> AsyncIterator[WatchRunResponse]:
        yield WatchRunResponse()
        raise SandboxUnavailable("No box could be had.")


def register(server: grpc.aio.Server) -> None:
    add_GatewayServiceServicer_to_server(Failing(), server)


async def test_an_error_of_ours_arrives_as_itself():
    async with serving_for_test(register, SERVICE) as address, open_channel(address) as channel:
        with pytest.raises(RunNotFound, match="No run has the id missing"), translated("the gateway"):
            await GatewayServiceStub(channel).GetRun(GetRunRequest(run_id="missing"))


async def test_an_error_in_the_middle_of_a_stream_arrives_after_what_was_said():
    async with serving_for_test(register, SERVICE) as address, open_channel(address) as channel:
        heard = 0
        with pytest.raises(SandboxUnavailable), translated("the gateway"):
            async for _ in GatewayServiceStub(channel).WatchRun(WatchRunRequest()):
                heard += 1
        assert heard == 1


async def test_a_bug_of_ours_shows_nothing_of_its_inside():
    async with serving_for_test(register, SERVICE) as address, open_channel(address) as channel:
        with pytest.raises(GymwrightError) as caught, translated("the gateway"):
            await GatewayServiceStub(channel).GetRun(GetRunRequest(run_id="bug"))
        assert "secret" not in str(caught.value)


async def test_a_service_that_is_not_there_is_named():
    async with open_channel("127.0.0.1:1") as channel:
        missing = pytest.raises(ServiceUnavailable, match=r"The gateway at 127\.0\.0\.1:1 can't be reached")
        with missing, translated("the gateway at 127.0.0.1:1"):
            await GatewayServiceStub(channel).GetRun(GetRunRequest(), timeout=5)


async def test_health_and_reflection_know_the_service():
    async with serving_for_test(register, SERVICE) as address, open_channel(address) as channel:
        health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=SERVICE))
        assert health.status == health_pb2.HealthCheckResponse.SERVING
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([asked]))
        async for answer in call:
            assert SERVICE in [service.name for service in answer.list_services_response.service]
            break


@pytest.mark.parametrize("sent", [None, "a-wrong-token-of-sixteen-or-more"])
async def test_a_call_without_the_token_is_refused(sent):
    async with serving_for_test(register, SERVICE, TOKEN) as address, open_channel(address, sent) as channel:
        stub = GatewayServiceStub(channel)
        with pytest.raises(Unauthenticated, match="GYMWRIGHT_TOKEN_FILE"), translated("the gateway"):
            await stub.GetRun(GetRunRequest(run_id="any"))
        with pytest.raises(Unauthenticated), translated("the gateway"):
            async for _ in stub.WatchRun(WatchRunRequest()):
                pytest.fail("a stream without the token said something")


async def test_the_token_opens_calls_and_probes_need_none():
    async with serving_for_test(register, SERVICE, TOKEN) as address:
        async with open_channel(address, TOKEN) as channel:
            await GatewayServiceStub(channel).GetRun(GetRunRequest(run_id="any"))
        async with open_channel(address) as channel:
            await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())


ROOM = """
import asyncio
from kit.rpc import serve
from kit.settings import RoomSettings, read_settings

class Settings(RoomSettings, env_prefix="GYMWRIGHT_TESTROOM_"):
    listen: str = "127.0.0.1:0"

async def stopped() -> None:
    print("stopped", flush=True)

asyncio.run(serve("testroom", read_settings(Settings), lambda server: None, "a.Service", on_stop=stopped))
"""


def room(**environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ROOM],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_room_that_is_asked_to_stop_cleans_up_and_ends_well(number):
    process = room()
    assert process.stderr is not None
    while "serving" not in await asyncio.to_thread(process.stderr.readline):
        pass
    process.send_signal(number)
    said, _ = await asyncio.to_thread(process.communicate, timeout=20)
    assert (process.returncode, said) == (0, "stopped\n")


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"GYMWRIGHT_TESTROOM_LISTNE": "x"}, "Unknown setting GYMWRIGHT_TESTROOM_LISTNE"),
        ({"GYMWRIGHT_TESTROOM_LISTEN": "0.0.0.0:0"}, "is not loopback: set GYMWRIGHT_TOKEN_FILE"),
        ({"GYMWRIGHT_TESTROOM_LISTEN": "127.0.0.1:1x"}, "Can't listen on 127.0.0.1:1x"),
        ({"GYMWRIGHT_TOKEN_FILE": "/nowhere/token"}, "token file /nowhere/token can't be read"),
    ],
)
def test_a_room_that_is_configured_wrongly_says_so_in_a_sentence_and_does_not_start(environment, complaint):
    _, complaints = room(**environment).communicate(timeout=20)
    assert complaint in complaints
    assert "Traceback" not in complaints
