"""Every driver, for the suite that each must pass as far as it promises."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

from gymwright.errors import SandboxUnavailable
from kit.sandbox.docker_driver import DockerDriver
from kit.sandbox.engine import NoSuchImage
from kit.sandbox.image import ROOT, copy_code
from kit.sandbox.interpreter import Interpreter
from kit.sandbox.kubernetes_driver import KubernetesDriver
from kit.sandbox.local_driver import LocalDriver
from tests.contract.fake_kubernetes import FakeCluster, serving
from tests.contract.fake_kubernetes.server import NAMESPACE


@pytest.fixture(
    params=[
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("local", marks=pytest.mark.sandbox),
        pytest.param("plain", marks=pytest.mark.sandbox),  # the local driver where nothing is allowed
        pytest.param("fake cluster"),  # the Kubernetes driver's life cycle; no isolation
        pytest.param("cluster"),  # the same where GYMWRIGHT_TEST_KUBECONFIG names a real one
    ]
)
async def driver(request, tmp_path_factory):
    """A driver with no warm boxes and nothing preloaded, so that a box costs a third of a second."""
    async with AsyncExitStack() as held:
        match request.param:
            case "docker":
                made = await make_docker(warm=0, preload=())
            case "fake cluster":
                cluster = await held.enter_async_context(fake_cluster())
                made = fake_driver(cluster, tmp_path_factory.mktemp("cluster"))
            case "cluster":
                made = make_kubernetes()
            case _:
                made = make_local(request.param)
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


IMAGE = "gymwright/sandbox:fake"
START = "import sys; sys.path.insert(0, {code!r}); from kit.inside.runner import main; main()"


@pytest.fixture
async def cluster() -> AsyncIterator[FakeCluster]:
    async with fake_cluster() as made:
        yield made


@asynccontextmanager
async def fake_cluster() -> AsyncIterator[FakeCluster]:
    """A fake cluster whose one image is the runner of this checkout, with the rights that the manifests give."""
    as_root = os.geteuid() == 0
    pythons = (Path("/usr/bin/python3"), Path(sys.executable))
    python = next((one for one in pythons if one.exists() and _runs(one, as_root)), None)
    if python is None:
        pytest.skip("no interpreter here that another user can run")
    with TemporaryDirectory(prefix="gymwright-fake-image-") as code:
        await asyncio.to_thread(_lay_out, Path(code))
        command = [str(python), "-I", "-c", START.format(code=code)]
        async with serving({IMAGE: command}, granted(), drop_to_pod_user=as_root) as made:
            yield made


def fake_driver(cluster: FakeCluster, folder: Path, **options) -> KubernetesDriver:
    """The driver on it; whatever a real cluster would contain, this one does not."""
    made = KubernetesDriver(IMAGE, NAMESPACE, kubeconfig=cluster.kubeconfig(folder), at_once=6, **options)
    nothing = {name: False for name, value in made.capabilities if value is True}
    made.capabilities = made.capabilities.model_copy(update={**nothing, "weaker_because": "the cluster is a fake"})
    return made


def make_kubernetes() -> KubernetesDriver:
    """On a real cluster, in the namespace and with the image that the environment names."""
    named = os.environ.get("GYMWRIGHT_TEST_KUBECONFIG")
    if not named:
        pytest.skip("GYMWRIGHT_TEST_KUBECONFIG names no cluster")
    image = os.environ.get("GYMWRIGHT_SANDBOX_IMAGE", "gymwright/sandbox:local")
    namespace = os.environ.get("GYMWRIGHT_SANDBOX_NAMESPACE", "gymwright-boxes")
    return KubernetesDriver(image, namespace, kubeconfig=Path(named))


def granted() -> set[tuple[str, str]]:
    """The (resource, verb) pairs of the Role that the manifests give to those who start boxes."""
    roles = yaml.safe_load_all((ROOT / "deploy/k8s/base/boxes/roles.yaml").read_text())
    (role,) = (one for one in roles if one["kind"] == "Role")
    return {(what, verb) for rule in role["rules"] for what in rule["resources"] for verb in rule["verbs"]}


def _lay_out(code: Path) -> None:
    code.chmod(0o755)
    copy_code(code)


def _runs(python: Path, as_root: bool) -> bool:
    return not as_root or Interpreter.at(python).runs_as(100_000)
