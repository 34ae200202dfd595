"""Every driver, for the suite that each must pass as far as it promises."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gymwright.errors import SandboxUnavailable
from kit.sandbox.docker_driver import DockerDriver
from kit.sandbox.engine import NoSuchImage
from kit.sandbox.image import ROOT
from kit.sandbox.local_driver import LocalDriver


@pytest.fixture(
    params=[
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("local", marks=pytest.mark.sandbox),
        pytest.param("plain", marks=pytest.mark.sandbox),  # the local driver where nothing is allowed
    ]
)
async def driver(request):
    """A driver with no warm boxes and nothing preloaded, so that a box costs a third of a second."""
    made = await make_docker(warm=0, preload=()) if request.param == "docker" else make_local(request.param)
    yield made
    await made.close()


@pytest.fixture
def promised(driver):
    """promised("contains_memory") skips the test on a driver that does not claim it."""

    def require(*names: str) -> None:
        for name in names:
            if not getattr(driver.capabilities, name):
                pytest.skip(f"{driver.capabilities.name} does not promise it: {name}")

    return require


@pytest.fixture
async def docker():
    """A maker of Docker drivers, closed at the end."""
    made = []

    async def make(**options) -> DockerDriver:
        made.append(await make_docker(**options))
        return made[-1]

    yield make
    for one in made:
        await one.close()


async def make_docker(**options) -> DockerDriver:
    """With the image of this very code if it is built, else with this checkout mounted over the libraries."""
    try:
        made = DockerDriver(**{"at_once": 4, **options})
        try:
            await made.check()
        except NoSuchImage:
            made = DockerDriver(**{"at_once": 4, **options, "code_dir": ROOT})
            await made.check()
    except SandboxUnavailable as problem:
        if os.environ.get("GYMWRIGHT_REQUIRE_DOCKER") == "1":
            pytest.fail(f"Docker is required here: {problem}")
        pytest.skip(f"no Docker sandbox: {problem}")
    return made


def sandbox_python() -> Path | None:
    """The interpreter that has torch, if there is one."""
    named = os.environ.get("GYMWRIGHT_SANDBOX_PYTHON")
    for place in ([Path(named)] if named else []) + [ROOT / ".sandbox-venv" / "bin" / "python"]:
        if place.exists():
            return place
    return None


def make_local(kind: str) -> LocalDriver:
    """The best local box of this machine, or the weakest: no bubblewrap, no control groups."""
    try:
        if kind == "local":
            return LocalDriver(sandbox_python() or Path(sys.executable), at_once=4)
        readable = [Path(sys.executable), Path("/usr/bin/python3")]
        for python in readable:
            try:
                return LocalDriver(python, at_once=4, bwrap=False, cgroups=False)
            except SandboxUnavailable as problem:
                reason = str(problem)
        pytest.skip(reason)
    except SandboxUnavailable as problem:
        pytest.skip(str(problem))
