"""What holds on our side of the boxes: nothing is left behind, nothing hangs, everything queues."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gymwright.errors import SandboxUnavailable
from kit.sandbox.container import DEADLINE_LABEL, DRIVER_LABEL, OWNER_LABEL
from kit.sandbox.docker_driver import DockerDriver
from kit.sandbox.engine import Engine
from kit.sandbox.image import ROOT
from kit.sandbox.jobs import Ending
from kit.sandbox.reaper import reap
from tests.contract.box_jobs import python, until

OWNER = """
import asyncio, os, sys
sys.path.insert(0, os.getcwd())
from tests.contract.box_jobs import python
from tests.contract.conftest import make_docker, make_local
async def main():
    driver = await make_docker(warm=1, preload=()) if sys.argv[1] == 'docker' else make_local(sys.argv[1])
    if sys.argv[1] == 'docker': await driver.warmed()
    print(getattr(driver, 'name', ''), flush=True)
    job = python(sys.argv[2], wall_s=60)
    await driver.run(job, on_said=lambda said: print('working', flush=True))
asyncio.run(main())
"""


@pytest.mark.docker
async def test_killing_the_owner_mid_job_leaves_no_box(docker):
    driver = await docker(warm=0, preload=())
    source = "import subprocess; say('on'); subprocess.run(['sleep', '61.2'])"
    owner = _own("docker", source)
    try:
        name = owner.stdout.readline().strip()
        assert owner.stdout.readline() == "working\n"
        boxes = await driver.engine.labelled(f"{DRIVER_LABEL}={name}")
        assert len(boxes) >= 1
        owner.send_signal(signal.SIGKILL)
        await _gone(driver, name, within_s=8)
    finally:
        owner.kill()
        owner.wait()


@pytest.mark.sandbox
def test_killing_the_owner_of_a_local_box_ends_the_box():
    source = "import subprocess; say('on'); subprocess.run(['sleep', '61.3'])"
    owner = _own("local", source)
    try:
        owner.stdout.readline()
        assert owner.stdout.readline() == "working\n"
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert until(lambda: not _sleeping("61.3"), 3.0)
    finally:
        owner.kill()
        owner.wait()


def _own(kind: str, source: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", OWNER, kind, source], cwd=ROOT, stdout=subprocess.PIPE, text=True)


async def _gone(driver, name: str, within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while await driver.engine.labelled(f"{DRIVER_LABEL}={name}"):  # noqa: ASYNC110 the engine has no such event
            await asyncio.sleep(0.05)


def _sleeping(seconds: str) -> bool:
    wanted = f"sleep\0{seconds}\0".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes() == wanted:
                return True
        except OSError:
            continue
    return False


@pytest.mark.docker
async def test_fifty_jobs_at_once_queue_and_all_end(docker):
    driver = await docker(warm=0, preload=(), at_once=3)
    working, most = 0, 0

    def count(said) -> None:
        nonlocal working, most
        working += 1 if said["kind"] == "on" else -1
        most = max(most, working)

    results = await asyncio.gather(
        *(driver.run(python(f"say('on'); say('result', n={n})"), on_said=count) for n in range(50))
    )
    assert [result.result["n"] for result in results] == list(range(50))
    assert most <= 3
    for _ in range(100):  # a busy engine lists a container until its removal is through
        if not (left := await driver.engine.labelled(f"{DRIVER_LABEL}={driver.name}")):
            break
        await asyncio.sleep(0.1)
    assert left == []


@pytest.mark.docker
async def test_two_claims_never_get_one_box(docker):
    driver = await docker(warm=3, preload=(), at_once=6)
    await driver.warmed()
    source = "import socket; say('result', box=socket.gethostname())"
    warm_size = {"memory_mib": 1024, "work_mib": 256}
    results = await asyncio.gather(*(driver.run(python(source, **warm_size)) for _ in range(6)))
    assert len({result.result["box"] for result in results}) == 6


@pytest.mark.docker
async def test_a_warm_box_takes_on_the_limits_of_its_job(docker):
    driver = await docker(warm=1, preload=())
    await driver.warmed()
    source = "b = bytearray(300 * 2**20)\nfor i in range(0, len(b), 4096): b[i] = 1\nsay('result')"
    begun = time.monotonic()
    small = await driver.run(python(source, memory_mib=128, work_mib=256))
    assert (small.ending, small.result) == (Ending.OUT_OF_MEMORY, None)
    assert time.monotonic() - begun < 5
    await driver.warmed()
    large = await driver.run(python(source, memory_mib=2048, work_mib=256))
    assert large.result is not None


@pytest.mark.docker
async def test_a_limit_that_not_even_the_runner_fits_in_is_said_so(docker):
    driver = await docker(warm=1, preload=())
    await driver.warmed()  # that box can't shrink so far, and a cold one can't start
    with pytest.raises(SandboxUnavailable, match="7 MiB of memory are not enough"):
        await driver.run(python("say('result')", memory_mib=7, work_mib=256))


@pytest.mark.docker
async def test_a_box_whose_pool_mate_died_is_not_handed_out(docker):
    driver = await docker(warm=1, preload=())
    await driver.warmed()
    ((waiting, _),) = await driver.engine.labelled(f"{DRIVER_LABEL}={driver.name}")
    await driver.engine.remove(waiting)
    result = await driver.run(python("say('result')", memory_mib=1024, work_mib=256))
    assert result.result is not None


@pytest.mark.docker
async def test_a_box_killed_from_outside_is_killed_not_out_of_memory(docker):
    driver = await docker(warm=0, preload=())
    killing = []

    async def kill() -> None:
        ((box, _),) = await driver.engine.labelled(f"{DRIVER_LABEL}={driver.name}")
        await driver.engine.remove(box)

    result = await driver.run(
        python("say('on'); import time; time.sleep(60)"),
        on_said=lambda said: killing.append(asyncio.ensure_future(kill())),
    )
    await asyncio.gather(*killing)
    assert (result.ending, result.result, result.unexplained) == (Ending.KILLED, None, True)
    assert result.said == ({"kind": "on"},)


@pytest.mark.docker
async def test_close_destroys_warm_boxes_and_working_ones(docker):
    driver = await docker(warm=1, preload=())
    await driver.warmed()
    started = asyncio.Event()
    working = asyncio.create_task(
        driver.run(python("say('on'); import time; time.sleep(60)"), on_said=lambda _: started.set())
    )
    await started.wait()
    name = driver.name
    await driver.close()
    assert (await working).ending is Ending.KILLED
    other = await docker(warm=0)
    assert await other.engine.labelled(f"{DRIVER_LABEL}={name}") == []


@pytest.mark.docker
async def test_a_job_cancelled_at_any_moment_leaves_no_box(docker):
    driver = await docker(warm=0, preload=())
    for after_s in (0.0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.3):
        task = asyncio.create_task(driver.run(python("import time; time.sleep(60)")))
        await asyncio.sleep(after_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await _gone(driver, driver.name, within_s=3)


@pytest.mark.docker
async def test_a_listener_that_fails_leaves_no_box(docker):
    driver = await docker(warm=0, preload=())

    def fail(said) -> None:
        raise TimeoutError("the listener's own")

    with pytest.raises(TimeoutError, match="own"):
        await driver.run(python("say('result')"), on_said=fail)
    assert await driver.engine.labelled(f"{DRIVER_LABEL}={driver.name}") == []


@pytest.mark.docker
async def test_the_reaper_removes_what_is_overdue_and_nothing_else(docker):
    driver = await docker(warm=0, preload=())

    async def forgotten(deadline: float) -> str:
        labels = {DEADLINE_LABEL: str(int(deadline)), OWNER_LABEL: "reaper-test"}
        body = {"Image": driver.image, "Labels": labels, "HostConfig": {"NetworkMode": "none"}}
        return await driver.engine.create(f"gymwright-reaper-test-{os.urandom(4).hex()}", body)

    overdue, living = await forgotten(time.time() - 5), await forgotten(time.time() + 600)
    try:
        await reap(driver.engine)
        left = [box for box, _ in await driver.engine.labelled(f"{OWNER_LABEL}=reaper-test")]
        assert left == [living]
    finally:
        await driver.engine.remove(living)
        await driver.engine.remove(overdue)


@pytest.mark.docker
async def test_a_start_that_times_out_is_cleaned_up(docker):
    driver = await docker(warm=0, start_timeout_s=0.4)  # the heavy imports take longer
    with pytest.raises(SandboxUnavailable, match=r"0\.4 s"):
        await driver.run(python("say('result')"))
    assert await driver.engine.labelled(f"{DRIVER_LABEL}={driver.name}") == []


@pytest.mark.docker
async def test_a_box_that_cannot_start_says_why(docker):
    driver = await docker(warm=0, preload=("no_such_module",))
    with pytest.raises(SandboxUnavailable, match="no_such_module"):
        await driver.run(python("say('result')"))
    other = await docker(warm=0, preload=())
    other.image = "gymwright/sandbox:none"
    with pytest.raises(SandboxUnavailable, match="make sandbox-image"):
        await other.check()
    with pytest.raises(SandboxUnavailable):
        await other.run(python("say('result')"))


@pytest.mark.docker
async def test_the_engine_holds_what_a_box_promises(docker):
    driver = await docker(warm=1, preload=())
    await driver.warmed()
    ((box, labels),) = await driver.engine.labelled(f"{DRIVER_LABEL}={driver.name}")
    assert int(labels[DEADLINE_LABEL]) > time.time()
    host = (await driver.engine.inspect(box))["HostConfig"]
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert host["Memory"] == host["MemorySwap"] == 1024 * 2**20
    assert (host["PidsLimit"], host["LogConfig"]["Type"], host["Privileged"]) == (128, "none", False)
    assert "no-new-privileges" in host["SecurityOpt"]
    assert (host["IpcMode"], host["AutoRemove"]) == ("private", True)


async def test_a_hung_engine_is_unavailable_with_the_time_out_named(tmp_path):
    """It accepts and never answers; no Docker is needed for that."""
    with socket.socket(socket.AF_UNIX) as hung:
        hung.bind(str(tmp_path / "hung.sock"))
        hung.listen(64)
        kept = []
        threading.Thread(target=lambda: _accept(hung, kept), daemon=True).start()
        driver = DockerDriver("any", warm=0, address=f"unix://{tmp_path}/hung.sock", engine_timeout_s=0.5)
        for ask in (driver.check(), driver.run(python("pass"))):
            begun = time.monotonic()
            with pytest.raises(SandboxUnavailable, match=r"0\.5 s"):
                await ask
            assert time.monotonic() - begun < 3
        await driver.close()
        hung.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, kept: list[socket.socket]) -> None:
    while True:
        try:
            kept.append(listener.accept()[0])
        except OSError:
            return


async def test_no_engine_is_unavailable_at_once(tmp_path):
    driver = DockerDriver("any", warm=1, address=f"unix://{tmp_path}/none.sock")
    with pytest.raises(SandboxUnavailable, match="Docker engine"):
        await driver.run(python("pass"))
    await driver.close()


async def test_an_engine_object_costs_nothing_before_it_is_asked():
    await Engine("unix:///nowhere.sock").close()
