"""GYMWRIGHT_SANDBOX_…: which boxes the executor and the trainer use; the same for both."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import PositiveInt
from pydantic_settings import BaseSettings, SettingsConfigDict

from gymwright.errors import SandboxUnavailable
from kit.sandbox.choosing import SandboxChoice, choose_driver
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.image import ROOT
from kit.sandbox.jobs import Limits
from kit.settings import SettingsWrong


class SandboxSettings(BaseSettings):
    """GYMWRIGHT_SANDBOX_DRIVER, _IMAGE, _CODE, _RUNTIME, _NAMESPACE, _KUBECONFIG, _PYTHON, _WARM, _AT_ONCE."""

    model_config = SettingsConfigDict(env_prefix="GYMWRIGHT_SANDBOX_", frozen=True, extra="ignore")

    driver: Literal["auto", "docker", "kubernetes", "local"] = "auto"
    image: str = ""  # empty for the one that belongs to this code; on Kubernetes as its nodes can pull it
    code: Path | None = None  # a checkout whose code is mounted over the image's, while developing
    runtime: str = ""  # of the engine, e.g. runsc, or a RuntimeClass; empty for the default
    namespace: str = "gymwright-boxes"  # on Kubernetes, where boxes run and nothing else
    kubeconfig: Path | None = None  # None for the account of our own pod
    python: Path = ROOT / ".sandbox-venv" / "bin" / "python"  # for local boxes
    warm: PositiveInt = 1  # boxes that wait with their imports done
    at_once: PositiveInt | None = None  # jobs that work at a time; None for one a core, or four on Kubernetes


async def driver_from_environment(limits: Limits) -> tuple[SandboxDriver, str]:
    """The driver the environment asks for, with warm boxes of these limits, and a sentence about it.

    A room without boxes can't start: SettingsWrong says what to do.
    """
    settings = SandboxSettings()
    try:
        return await choose_driver(SandboxChoice(**settings.model_dump(), limits=limits))
    except SandboxUnavailable as problem:
        raise SettingsWrong(str(problem)) from None
