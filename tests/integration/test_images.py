"""The images: small, shut, and of one lock. That the service image runs all six rooms is for test_compose.py."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.integration.engines import SANDBOX_IMAGE, SERVICE_IMAGE, docker, require_images

ROOT = Path(__file__).resolve().parents[2]
SHUT = ("--rm", "--read-only", "--tmpfs=/tmp", "--network=none", "--cap-drop=ALL", "--security-opt=no-new-privileges")

inside = pytest.mark.docker


@pytest.fixture
def images() -> None:
    require_images()


def in_service_image(code: str) -> object:
    """What Python in the image prints as JSON."""
    return json.loads(docker("run", *SHUT, "--entrypoint=python", SERVICE_IMAGE, "-c", code))


def test_the_services_lock_is_a_part_of_the_one_lock_and_holds_what_they_ask_for() -> None:
    whole = set((ROOT / "requirements.lock").read_text().split())
    part = set((ROOT / "deploy/docker/service.lock").read_text().split())
    assert part < whole, f"`make lock` pins again: {sorted(part - whole)}"
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {line.split(">=")[0] for line in asked["dependencies"] + asked["optional-dependencies"]["services"]}
    assert named <= {pin.split("==")[0] for pin in part}


@pytest.mark.parametrize("dockerfile", ["libs.Dockerfile", "service-libs.Dockerfile"])
def test_the_base_of_each_image_is_an_argument(dockerfile) -> None:
    lines = (ROOT / "deploy/docker" / dockerfile).read_text().splitlines()
    assert "ARG BASE_IMAGE=python:3.11-slim" in lines
    assert {line.split()[1] for line in lines if line.startswith("FROM ")} == {"${BASE_IMAGE}"}


@inside
def test_the_service_image_holds_no_torch_no_pip_and_no_setuid_program(images) -> None:
    code = (
        "import importlib.util as u, json, os, stat, sys\n"
        "found = [n for n in ('torch', 'gymnasium', 'stable_baselines3', 'pip', 'pytest') if u.find_spec(n)]\n"
        "for folder, _, names in os.walk('/usr'):\n"
        "    for name in names:\n"
        "        if os.lstat(os.path.join(folder, name)).st_mode & (stat.S_ISUID | stat.S_ISGID): found.append(name)\n"
        "print(json.dumps(found))"
    )
    assert in_service_image(code) == []


@inside
def test_the_service_image_is_at_most_two_thirds_of_the_boxes_image(images) -> None:
    service, sandbox = (json.loads(docker("image", "inspect", name))[0] for name in (SERVICE_IMAGE, SANDBOX_IMAGE))
    assert service["Size"] < sandbox["Size"] * 2 / 3


@inside
@pytest.mark.parametrize("image", [SERVICE_IMAGE, SANDBOX_IMAGE])
def test_no_image_runs_as_root(images, image) -> None:
    assert json.loads(docker("image", "inspect", image))[0]["Config"]["User"] == "10001:10001"


@inside
def test_a_room_in_a_container_does_not_listen_to_others_without_credentials(images) -> None:
    ended = subprocess.run(
        ["docker", "run", *SHUT, "--env=GYMWRIGHT_REPORTER_LISTEN=0.0.0.0:50055", SERVICE_IMAGE, "services.reporter"],
        capture_output=True, text=True, timeout=170,
    )  # fmt: skip
    assert ended.returncode == 1
    assert "0.0.0.0:50055 is not loopback" in ended.stderr
    assert "Traceback" not in ended.stderr


@inside
def test_a_container_is_healthy_only_while_its_room_serves(images) -> None:
    name = docker("run", "--detach", *SHUT, SERVICE_IMAGE, "services.reporter").strip()
    try:
        probe = ["docker", "exec", name, "python", "-m", "kit.rpc.probing"]
        until = [*probe[:3], "sh", "-c", "until python -m kit.rpc.probing; do :; done"]
        assert subprocess.run(until, timeout=170).returncode == 0
        assert subprocess.run([*probe, "127.0.0.1:50051"], timeout=170).returncode == 1
    finally:
        docker("kill", name, check=False)
