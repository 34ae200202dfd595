"""What tests ask of a Docker engine; where there is none they skip, or fail if it is required."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

SERVICE_IMAGE = "gymwright/service:local"
SANDBOX_IMAGE = "gymwright/sandbox:local"


def require_images() -> None:
    """Return where an engine has both images."""
    for image in (SERVICE_IMAGE, SANDBOX_IMAGE):
        try:
            docker("image", "inspect", image)
        except (OSError, subprocess.SubprocessError):
            _lacking(f"no Docker engine has {image} (make images)")


def require_compose() -> None:
    """Return where docker compose is installed, as a plugin or as docker-compose."""
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    if not plugin and shutil.which("docker-compose") is None:
        _lacking("neither docker compose nor docker-compose is installed")


def docker(*words: str, check: bool = True) -> str:
    """What docker prints on stdout."""
    return subprocess.run(["docker", *words], capture_output=True, text=True, timeout=120, check=check).stdout


def _lacking(reason: str) -> None:
    if os.environ.get("GYMWRIGHT_REQUIRE_DOCKER") == "1":
        pytest.fail(f"Docker is required here: {reason}")
    pytest.skip(reason)
