"""deploy/compose.yaml for real: six containers, one run through them, by gRPC and by HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

import pytest

from gymwright.cli.health import healthy
from gymwright.cli.house import ROOMS
from gymwright.client import Client
from gymwright.errors import Unauthenticated
from tests.integration.engines import docker, require_compose, require_images

ROOT = Path(__file__).resolve().parents[2]
PROBLEM = "Order stock for a small shop every day of the year"
RUN = "in-containers"
BOX_ROOMS = {"executor", "trainer"}

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Composed:
    """A house in containers, as its user sees it."""

    project: str
    grpc: str
    http: str
    token: str

    def ask(self, path: str, body: dict[str, object] | None = None, token: str | None = None) -> bytes:
        """One HTTP request; with the token unless another is given."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.http}{path}", data=data)
        request.add_header("Authorization", f"Bearer {self.token if token is None else token}")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=500) as answer:
            return answer.read()

    def containers(self) -> dict[str, dict]:
        """What the engine knows of each room's container."""
        found = docker("ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self.project}").split()
        known = json.loads(docker("inspect", *found))
        return {one["Config"]["Labels"]["com.docker.compose.service"]: one for one in known}


@pytest.fixture(scope="module")
def composed(tmp_path_factory) -> Iterator[Composed]:
    require_images()
    require_compose()
    token = tmp_path_factory.mktemp("secret") / "token"
    token.write_text(secrets.token_hex(16))
    token.chmod(0o444)
    grpc_port, http_port = free_ports(2)
    project = f"gymwright-test-{secrets.token_hex(3)}"
    settings = {
        "COMPOSE_PROJECT_NAME": project, "GYMWRIGHT_TOKEN_FILE": str(token),
        "GYMWRIGHT_GRPC_PORT": str(grpc_port), "GYMWRIGHT_HTTP_PORT": str(http_port),
    }  # fmt: skip
    try:
        compose("up", settings)
        house = Composed(project, f"127.0.0.1:{grpc_port}", f"http://127.0.0.1:{http_port}", token.read_text())
        give_up = time.monotonic() + 300
        while not healthy(house.grpc):
            assert time.monotonic() < give_up, docker("logs", house.containers()["gateway"]["Id"])
        yield house
    finally:
        compose("down --volumes --timeout 20", settings)


@pytest.fixture(scope="module")
def events(composed) -> list[dict]:
    """A run started over HTTP, told over HTTP, to its end."""
    composed.ask("/v1/runs", {"problem": PROBLEM, "run_id": RUN, "options": {"total_timesteps": 2048}})
    return [json.loads(line) for line in composed.ask(f"/v1/runs/{RUN}/events").splitlines()]


@pytest.fixture
def client(composed) -> Iterator[Client]:
    with Client(composed.grpc, token=composed.token) as client:
        yield client


def test_a_run_goes_to_its_report_and_both_doors_tell_it_the_same(events, client) -> None:
    assert events[-1]["state"] == "SUCCEEDED", events[-1]
    told = list(client.watch(RUN))
    assert [event.sequence for event in told] == [event["sequence"] for event in events]
    assert told[-1].state.name == events[-1]["state"]


def test_what_the_trainer_and_the_reporter_stored_leaves_by_both_doors(events, composed, client, tmp_path) -> None:
    artifacts = {artifact.name: artifact.sha256 for artifact in client.artifacts(RUN)}
    assert artifacts.keys() >= {"report.md", "environment.py", "policy.onnx", "model.zip", "manifest.json"}
    for path in client.download(RUN, tmp_path):
        name = str(path.relative_to(tmp_path))
        over_http = hashlib.sha256(composed.ask(f"/v1/runs/{RUN}/artifacts/{name}")).hexdigest()
        assert over_http == hashlib.sha256(path.read_bytes()).hexdigest() == artifacts[name]


def test_the_boxes_were_containers(events) -> None:
    assert "container" in json.dumps(events)


def test_no_door_opens_without_the_token(composed) -> None:
    with Client(composed.grpc, token="not the token at all") as stranger, pytest.raises(Unauthenticated):
        stranger.list()
    with pytest.raises(HTTPError, match="401"):
        composed.ask("/v1/runs", token="not the token at all")


def test_only_the_gateway_is_published_and_only_on_loopback(composed) -> None:
    published = {
        room: {address["HostIp"] for bound in one["NetworkSettings"]["Ports"].values() for address in bound or ()}
        for room, one in composed.containers().items()
    }
    assert published == {room.name: {"127.0.0.1"} if room.name == "gateway" else set() for room in ROOMS}


def test_the_engine_is_in_the_hands_of_the_executor_and_the_trainer_alone(composed) -> None:
    known = composed.containers()
    holders = {
        room for room, one in known.items() if any(m["Destination"] == "/run/engine.sock" for m in one["Mounts"])
    }
    assert holders == BOX_ROOMS
    assert {room for room, one in known.items() if one["HostConfig"]["GroupAdd"]} == BOX_ROOMS


def test_who_has_a_way_out(composed) -> None:
    nets = {room: set(one["NetworkSettings"]["Networks"]) for room, one in composed.containers().items()}
    agents = f"{composed.project}_agents"
    assert {room for room, joined in nets.items() if joined != {agents}} == {"gateway", "designer", "coder"}
    assert json.loads(docker("network", "inspect", agents))[0]["Internal"] is True


def test_every_container_is_shut(composed) -> None:
    for room, one in composed.containers().items():
        host = one["HostConfig"]
        assert (host["ReadonlyRootfs"], host["Privileged"], host["CapDrop"]) == (True, False, ["ALL"]), room
        assert host["SecurityOpt"] == ["no-new-privileges:true"], room
        assert one["Config"]["User"] == "10001:10001", room
        assert host["Memory"] and host["PidsLimit"], room


def compose(words: str, settings: dict[str, str]) -> None:
    command = [str(ROOT / "deploy/compose.sh"), *words.split()]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports
