"""What the README tells platform teams to type works as it stands, against a gateway with fakes behind it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.http import http_listening
from gateway.opening import opened
from gateway.servicer import GatewayServicer
from gymwright.v1.gateway_pb2_grpc import add_GatewayServiceServicer_to_server
from kit.rpc.testing import serving_for_test
from tests.integration.agents import Script, agents
from tests.integration.gateways import parts
from tests.integration.terminals import environment

README = Path(__file__).resolve().parents[2] / "README.md"


def block(language: str, word: str) -> str:
    """The first code block of this language that holds the word."""
    found = re.findall(rf"```{language}\n(.*?)```", README.read_text(), re.DOTALL)
    return next(text for text in found if word in text)


@pytest.fixture
async def doors(tmp_path: Path) -> AsyncIterator[tuple[str, str]]:
    """host:port of gRPC and of HTTP."""
    async with (
        agents(Script()) as addresses,
        opened(parts(tmp_path, addresses)) as runs,
        serving_for_test(lambda server: add_GatewayServiceServicer_to_server(GatewayServicer(runs), server)) as grpc,
        http_listening(runs, "127.0.0.1:0") as port,
    ):
        yield grpc, f"127.0.0.1:{port}"


async def output_of(*command: str, cwd: Path) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=cwd, env=environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_the_python_example_starts_watches_and_downloads_a_run(doors: tuple[str, str], tmp_path: Path) -> None:
    example = block("python", "Client(").replace("127.0.0.1:50050", doors[0])
    told = (await output_of(sys.executable, "-c", example, cwd=tmp_path)).splitlines()
    assert told[0].startswith("1 ")
    assert "SUCCEEDED" in told[-1].upper()
    assert [path.name for path in (tmp_path / "runs").glob("*/design.json")] == ["design.json"]


async def test_the_curl_example_starts_a_run_and_reads_its_events(doors: tuple[str, str], tmp_path: Path) -> None:
    start, events = block("sh", "curl").replace("localhost:8080", doors[1]).splitlines()
    run = json.loads(await output_of("sh", "-c", start, cwd=tmp_path))
    lines = await output_of("sh", "-c", f"RUN={run['id']}; {events}", cwd=tmp_path)
    told = [json.loads(line) for line in lines.splitlines()]
    assert [event["sequence"] for event in told] == list(range(1, len(told) + 1))
    assert told[-1]["state"].endswith("SUCCEEDED")
