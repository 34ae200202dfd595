"""Which driver a service gets: the one asked for, else Docker where it works, else the local one; and why."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import Record
from kit.sandbox.docker_driver import DockerDriver
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.engine import NoSuchImage
from kit.sandbox.image import ROOT
from kit.sandbox.jobs import Limits
from kit.sandbox.local_driver import LocalDriver


class SandboxChoice(Record):
    """What a service may say about its sandbox; each field stands for GYMWRIGHT_SANDBOX_<NAME>."""

    driver: Literal["auto", "docker", "kubernetes", "local"] = "auto"
    image: str = ""  # empty for the image that belongs to this code
    code: Path | None = None  # a checkout whose code is mounted over the image's, while developing
    runtime: str = ""  # of the engine, or a RuntimeClass; empty for the default
    namespace: str = "gymwright-boxes"  # for the Kubernetes driver
    kubeconfig: Path | None = None  # None for the account of our own pod
    python: Path = ROOT / ".sandbox-venv" / "bin" / "python"  # for the local driver
    warm: int = 1
    at_once: int | None = None  # None for one a core
    limits: Limits = Limits()  # of the boxes that wait warm


async def choose_driver(choice: SandboxChoice) -> tuple[SandboxDriver, str]:
    """A driver that works, inside the running event loop, and the sentence for health and events.

    SandboxUnavailable, saying what to do, where there is none. The caller closes the driver.
    """
    if choice.driver == "local":
        return _local(choice, "it was asked for")
    if choice.driver == "kubernetes":
        return await _kubernetes(choice)
    docker = _docker(choice, choice.code)
    try:
        await docker.check()
        return docker, f"Boxes are containers ({docker.image})."
    except SandboxUnavailable as problem:
        await docker.close()
        if isinstance(problem, NoSuchImage) and not choice.image and choice.code is None:
            # The code has changed since the image was built: its libraries may still be right.
            mounted = _docker(choice, ROOT)
            try:
                await mounted.check()
                return mounted, f"Boxes are containers ({mounted.image}, this checkout's code mounted)."
            except SandboxUnavailable:
                await mounted.close()
        if choice.driver == "docker":
            raise
        return _local(choice, str(problem))


def _docker(choice: SandboxChoice, code: Path | None) -> DockerDriver:
    return DockerDriver(
        choice.image or None,
        warm=choice.warm,
        warm_limits=choice.limits,
        at_once=choice.at_once,
        runtime=choice.runtime or None,
        code_dir=code,
    )


async def _kubernetes(choice: SandboxChoice) -> tuple[SandboxDriver, str]:
    if not choice.image:
        raise SandboxUnavailable("On Kubernetes GYMWRIGHT_SANDBOX_IMAGE must name the image, as its nodes can pull it.")
    from kit.sandbox.kubernetes_driver import KubernetesDriver  # its client takes half a second to import

    made = KubernetesDriver(
        choice.image,
        choice.namespace,
        kubeconfig=choice.kubeconfig,
        runtime_class=choice.runtime,
        at_once=choice.at_once,
    )
    try:
        await made.check()
    except SandboxUnavailable:
        await made.close()
        raise
    return made, f"Boxes are {made.capabilities.name} jobs in {choice.namespace} ({made.image})."


def _local(choice: SandboxChoice, why: str) -> tuple[SandboxDriver, str]:
    if not choice.python.exists():
        raise SandboxUnavailable(
            f"No sandbox: {why} And there is no {choice.python} for local boxes; `make sandbox-venv` makes it."
        )
    local = LocalDriver(choice.python, at_once=choice.at_once)
    weaker = local.capabilities.weaker_because
    return local, f"Boxes are local processes, weaker than containers ({weaker}), because {why}"
