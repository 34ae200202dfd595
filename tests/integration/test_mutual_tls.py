"""Mutual TLS on real sockets with real certificates: who is let in, who is not, and what they are told."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
import ssl
import subprocess
import sys

import grpc
import pytest

from gateway.clients import Addresses, Agents
from gateway.http import http_listening
from gateway.opening import opened
from gymwright.async_client import AsyncClient
from gymwright.channels import open_channel
from gymwright.cli.options import connect
from gymwright.errors import RequestWrong, RunNotFound, ServiceUnavailable, Unauthenticated
from gymwright.failures import translated
from gymwright.tls import MutualTls, mutual_tls, tls_from
from gymwright.v1.executor_pb2 import CancelCheckResponse
from gymwright.v1.executor_pb2_grpc import ExecutorServiceServicer, add_ExecutorServiceServicer_to_server
from gymwright.v1.gateway_pb2 import GetRunRequest
from gymwright.v1.gateway_pb2_grpc import GatewayServiceStub
from kit.contracts.runs import JobKey
from kit.rpc.testing import serving_for_test
from kit.settings import SettingsWrong, require_credentials
from tests.integration.agents import Script, agents
from tests.integration.certificates import Authority, environment
from tests.integration.gateways import parts
from tests.integration.test_rpc import SERVICE, TOKEN, register, room

HOST = "127.0.0.1"


@pytest.fixture
def ours(tmp_path) -> Authority:
    return Authority(tmp_path / "ours")


@pytest.fixture
def theirs(tmp_path) -> Authority:
    return Authority(tmp_path / "theirs")


async def ask(address: str, tls: MutualTls | None, token: str | None = None) -> None:
    """Return where the call is answered."""
    async with open_channel(address, token, tls) as channel:
        with translated("the gateway"):
            await GatewayServiceStub(channel).GetRun(GetRunRequest(run_id="any"), timeout=10)


async def test_each_side_is_let_in_by_its_certificate(ours) -> None:
    async with serving_for_test(register, SERVICE, tls=ours.holder(HOST)) as address:
        await ask(address, ours.holder("somebody"))


async def test_a_token_is_asked_for_as_well_where_there_is_one(ours) -> None:
    async with serving_for_test(register, SERVICE, TOKEN, ours.holder(HOST)) as address:
        with pytest.raises(Unauthenticated, match="GYMWRIGHT_TOKEN_FILE"):
            await ask(address, ours.holder("somebody"))
        await ask(address, ours.holder("somebody"), TOKEN)


async def test_a_server_of_another_authority_is_not_believed(ours, theirs) -> None:
    async with serving_for_test(register, SERVICE, tls=theirs.holder(HOST, trusting=ours)) as address:
        with pytest.raises(Unauthenticated, match="shows a certificate that GYMWRIGHT_TLS_CA_FILE did not sign"):
            await ask(address, ours.holder("somebody"))


async def test_a_caller_of_another_authority_is_hung_up_on(ours, theirs) -> None:
    async with serving_for_test(register, SERVICE, tls=ours.holder(HOST)) as address:
        with pytest.raises(ServiceUnavailable, match="hangs up; if it wants a certificate"):
            await ask(address, theirs.holder("somebody", trusting=ours))


async def test_a_caller_without_a_certificate_is_hung_up_on(ours) -> None:
    async with serving_for_test(register, SERVICE, tls=ours.holder(HOST)) as address:
        with pytest.raises(
            ServiceUnavailable, match="hangs up; if it wants a certificate, set GYMWRIGHT_TLS_CERT_FILE"
        ):
            await ask(address, None)
        without = grpc.ssl_channel_credentials(ours.file.read_bytes())
        async with grpc.aio.secure_channel(address, without) as channel:
            with pytest.raises(ServiceUnavailable), translated("the gateway"):
                await GatewayServiceStub(channel).GetRun(GetRunRequest(run_id="any"), timeout=10)


async def test_a_certificate_for_another_name_is_refused_unless_that_name_is_expected(ours) -> None:
    async with serving_for_test(register, SERVICE, tls=ours.holder("trainer.gymwright")) as address:
        with pytest.raises(Unauthenticated, match="for another name; GYMWRIGHT_TLS_NAME"):
            await ask(address, ours.holder("somebody"))
        await ask(address, ours.holder("somebody", name="trainer.gymwright"))


async def test_who_calls_by_tls_a_server_that_has_none_is_told(ours) -> None:
    async with serving_for_test(register, SERVICE) as address:
        with pytest.raises(Unauthenticated, match="does not speak TLS"):
            await ask(address, ours.holder("somebody"))


class Executor(ExecutorServiceServicer):
    async def CancelCheck(self, request, context) -> CancelCheckResponse:
        return CancelCheckResponse()


async def test_the_gateway_shows_its_certificate_to_the_agents(ours, theirs) -> None:
    key = JobKey(run_id="some-run", step="check", attempt=0)
    async with serving_for_test(
        lambda server: add_ExecutorServiceServicer_to_server(Executor(), server), tls=ours.holder(HOST)
    ) as address:
        known = Agents(Addresses(executor=address), tls=ours.holder("gateway"))
        await known.cancel_check(key)
        await known.close()
        stranger = Agents(Addresses(executor=address), tls=theirs.holder("gateway", trusting=ours))
        with pytest.raises(ServiceUnavailable, match=r"The executor at .* hangs up"):
            await stranger.cancel_check(key)
        await stranger.close()


async def test_the_command_line_s_client_takes_its_certificate_from_the_environment(ours, monkeypatch) -> None:
    for name, value in environment(ours.holder("somebody")).items():
        monkeypatch.setenv(name, value)
    async with serving_for_test(register, SERVICE, tls=ours.holder(HOST)) as address:

        def got() -> None:
            with connect(address) as client, pytest.raises(RunNotFound):
                client.get("no-such-run")

        await asyncio.to_thread(got)
        async with AsyncClient(address, tls=ours.holder("somebody")) as client:
            with pytest.raises(RunNotFound):
                await client.get("no-such-run")


async def test_http_is_served_by_mutual_tls_and_only_to_its_own_page(ours, theirs, tmp_path) -> None:
    async with (
        agents(Script()) as addresses,
        opened(parts(tmp_path, addresses)) as runs,
        http_listening(runs, f"{HOST}:0", tls=ours.holder(HOST)) as port,
    ):
        mine = ours.holder("somebody")
        assert await asyncio.to_thread(asked, port, mine) == (200, {"runs": [], "next_page_token": ""})
        other = {"Host": f"gateway.example:{port}", "Origin": "https://elsewhere.example"}
        status, told = await asyncio.to_thread(asked, port, mine, other)
        assert (status, told["message"]) == (400, "This request comes from a page of another origin.")
        own = {"Host": f"gateway.example:{port}", "Origin": f"https://gateway.example:{port}"}
        assert (await asyncio.to_thread(asked, port, mine, own))[0] == 200
        for stranger in (theirs.holder("somebody", trusting=ours), None):
            with pytest.raises((ssl.SSLError, OSError)):
                await asyncio.to_thread(asked, port, stranger, {}, ours)


def asked(port: int, tls: MutualTls | None, headers: dict[str, str] | None = None, trusting: Authority | None = None):
    """Status and body of GET /v1/runs."""
    context = ssl.create_default_context(cafile=tls.ca if tls else trusting.file)
    if tls is not None:
        context.load_cert_chain(tls.cert, tls.key)
    door = http.client.HTTPSConnection(HOST, port, context=context, timeout=20)
    door.request("GET", "/v1/runs", headers=headers or {})
    response = door.getresponse()
    return response.status, json.loads(response.read())


async def test_a_room_with_certificates_serves_beyond_loopback_and_is_probed_by_them(ours) -> None:
    both = ours.holder("room", name="room")
    with socket.create_server((HOST, 0)) as held:
        port = held.getsockname()[1]
    process = room(GYMWRIGHT_TESTROOM_LISTEN=f"0.0.0.0:{port}", **environment(both))
    try:
        while "serving" not in await asyncio.to_thread(process.stderr.readline):
            assert process.poll() is None
        probe = [sys.executable, "-m", "kit.rpc.probing", f"{HOST}:{port}"]
        for certificates, code in ((environment(both), 0), ({}, 1)):
            done = await asyncio.to_thread(subprocess.run, probe, env=os.environ | certificates, capture_output=True)
            assert done.returncode == code, done.stderr
    finally:
        process.kill()
        await asyncio.to_thread(process.communicate)


@pytest.mark.parametrize("listen", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "gateway.example:1", ":1"])
def test_what_is_not_loopback_needs_a_token_or_certificates(ours, listen) -> None:
    with pytest.raises(SettingsWrong, match=r"GYMWRIGHT_TOKEN_FILE .* or GYMWRIGHT_TLS_CERT_FILE"):
        require_credentials(listen, None, None)
    require_credentials(listen, TOKEN, None)
    require_credentials(listen, None, ours.holder("room"))


@pytest.mark.parametrize("listen", ["127.0.0.1:1", "localhost:1", "[::1]:1"])
def test_loopback_needs_neither(listen) -> None:
    require_credentials(listen, None, None)


def test_certificates_that_can_t_serve_are_refused_with_the_setting_named(ours, theirs, tmp_path) -> None:
    good, other = ours.holder("room"), theirs.holder("room")
    assert mutual_tls(None, None, None) is None
    assert mutual_tls(good.cert, good.key, good.ca) == good
    for files, complaint in (
        ((good.cert, None, None), "GYMWRIGHT_TLS_KEY_FILE and GYMWRIGHT_TLS_CA_FILE name none"),
        ((good.cert, other.key, good.ca), "are no certificate and its key"),
        ((tmp_path / "none", good.key, good.ca), "are no certificate and its key"),
        ((good.cert, good.key, good.key), "GYMWRIGHT_TLS_CA_FILE: .* holds no certificate"),
        ((good.cert, good.key, tmp_path / "none"), "GYMWRIGHT_TLS_CA_FILE: .* holds no certificate"),
    ):
        with pytest.raises(RequestWrong, match=complaint):
            mutual_tls(*files)


def test_a_room_whose_certificates_are_incomplete_does_not_start() -> None:
    process = room(GYMWRIGHT_TLS_CERT_FILE="room.pem")
    _, complaint = process.communicate(timeout=20)
    assert process.returncode == 1
    assert (
        complaint.strip() == "Mutual TLS needs three files; GYMWRIGHT_TLS_KEY_FILE and GYMWRIGHT_TLS_CA_FILE name none."
    )


def test_an_empty_environment_names_no_certificate() -> None:
    assert tls_from({"GYMWRIGHT_TLS_CERT_FILE": ""}) is None
