"""What only the Kubernetes driver has: a cluster's words for how a box ended, its watches, its rights.

On a fake cluster (fake_kubernetes/), so it is about life cycles and proves no isolation.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from gymwright.errors import SandboxUnavailable
from kit.sandbox.box_job import DEADLINE_LABEL, DRIVER_LABEL, box_job
from kit.sandbox.choosing import SandboxChoice, choose_driver
from kit.sandbox.cluster import Kind
from kit.sandbox.fate import Fate, fate_of
from kit.sandbox.image import ROOT
from kit.sandbox.jobs import Ending, Limits
from kit.sandbox.kubernetes_driver import KubernetesDriver
from tests.contract.box_jobs import python
from tests.contract.conftest import IMAGE, fake_driver, granted
from tests.contract.fake_kubernetes.server import NAMESPACE
from tests.integration.manifests import TOOLS, breaks_restricted, require_tools

AT_DEADLINE = "the cluster stopped it at its Job's deadline"
BROKE_OFF = "the connection to it broke off"
EVICTED = {"status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory"}}
SILENT = "the box ended without saying how"
SLEEPER = "say('on'); import time; time.sleep(60)"


@pytest.fixture
async def driver(cluster, tmp_path):
    made = fake_driver(cluster, tmp_path)
    yield made
    await made.close()


async def under_way(driver, source=SLEEPER, **limits):
    """A job that has begun to work, and the name of its Job."""
    begun = asyncio.Event()
    task = asyncio.create_task(driver.run(python(source, **limits), on_said=lambda _: begun.set()))
    await begun.wait()
    (job,) = await driver.cluster.found(Kind.JOBS, f"{DRIVER_LABEL}={driver.name}")
    return task, job["metadata"]["name"]


@pytest.mark.parametrize(
    ("code", "reason", "ending", "exit_code"),
    [
        (137, "OOMKilled", Ending.OUT_OF_MEMORY, None),
        (137, "Error", Ending.KILLED, None),  # the same code, and nobody's memory was short
        (3, "Error", Ending.EXITED, 3),  # BackoffLimitExceeded: the runner itself failed
    ],
)
async def test_a_box_that_can_t_tell_its_end_ends_as_the_cluster_says(cluster, driver, code, reason, ending, exit_code):
    task, job = await under_way(driver)
    cluster.node.end(job, code, reason)
    result = await task
    assert (result.ending, result.exit_code, result.result) == (ending, exit_code, None)
    assert result.said == ({"kind": "on"},)


async def test_a_connection_that_breaks_off_is_nobody_s_fault(cluster, driver):
    task, job = await under_way(driver)
    cluster.node.end(job, 0, "Completed")  # as a runner ends whose stdin was closed: well, and without a report
    with pytest.raises(SandboxUnavailable, match="A box was lost: the connection to it broke off"):
        await task


async def test_a_job_at_its_deadline_overran(cluster, driver):
    task, job = await under_way(driver)
    await cluster.node.pass_deadline(job)
    result = await task
    assert (result.ending, result.note) == (Ending.OVERRAN, AT_DEADLINE)


async def test_a_job_deleted_under_us_was_killed(cluster, driver):
    task, job = await under_way(driver)
    await driver.cluster.delete(job)
    result = await task
    assert (result.ending, result.note) == (Ending.KILLED, "its Job was deleted")


def over(kind: str, reason: str) -> dict:
    return {"status": {"conditions": [{"type": kind, "status": "True", "reason": reason, "message": "m"}]}}


def ended(code: int, reason: str) -> dict:
    return {"status": {"containerStatuses": [{"state": {"terminated": {"exitCode": code, "reason": reason}}}]}}


@pytest.mark.parametrize(
    ("job", "pod", "fate"),
    [
        (over("Failed", "DeadlineExceeded"), None, Fate(Ending.OVERRAN, None, AT_DEADLINE)),
        (over("Failed", "BackoffLimitExceeded"), ended(1, "Error"), Fate(Ending.EXITED, 1)),
        (over("Failed", "BackoffLimitExceeded"), ended(139, "Error"), Fate(Ending.KILLED, 139, "m")),  # SIGSEGV
        (over("Failed", "BackoffLimitExceeded"), ended(137, "OOMKilled"), Fate(Ending.OUT_OF_MEMORY, 137)),
        (over("Failed", "BackoffLimitExceeded"), None, Fate(Ending.KILLED, None, "its node went away", lost=True)),
        (over("Failed", "BackoffLimitExceeded"), EVICTED, Fate(Ending.KILLED, None, "low on memory", lost=True)),
        (over("Complete", "CompletionsReached"), ended(0, "Completed"), Fate(Ending.KILLED, 0, BROKE_OFF, lost=True)),
        # What is only foretold is not yet so.
        (over("FailureTarget", "DeadlineExceeded"), None, Fate(Ending.KILLED, None, SILENT)),
        (None, None, Fate(Ending.KILLED, None, "its Job was deleted")),
        (None, ended(137, "OOMKilled"), Fate(Ending.OUT_OF_MEMORY, 137)),
    ],
)  # fmt: skip
def test_what_conditions_and_container_states_mean(job, pod, fate):
    assert fate_of(job, pod) == fate


async def test_a_watch_that_the_server_forgot_or_cut_is_taken_up_again(cluster, driver):
    async def disturb():
        while True:
            await cluster.store.forget()
            await asyncio.sleep(0.02)
            await cluster.store.cut()
            await asyncio.sleep(0.02)

    disturbing = asyncio.create_task(disturb())
    results = await asyncio.gather(*(driver.run(python(f"say('result', n={n})")) for n in range(3)))
    disturbing.cancel()
    assert [result.result["n"] for result in results] == [0, 1, 2]


async def test_a_job_cancelled_at_any_moment_leaves_neither_job_nor_pod(cluster, driver):
    for after_s in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4):
        task = asyncio.create_task(driver.run(python(SLEEPER)))
        await asyncio.wait([task], timeout=after_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await driver.close()  # waits for what was being undone
    assert cluster.store.objects == {}


async def test_a_job_done_leaves_neither_job_nor_pod(cluster, driver):
    await driver.run(python("say('result')"))
    assert cluster.store.objects == {}


async def test_close_ends_what_works_and_refuses_what_waits(cluster, driver):
    task, _ = await under_way(driver)
    await driver.close()
    assert (await task).ending is Ending.KILLED
    with pytest.raises(SandboxUnavailable, match="closing"):
        await driver.run(python("say('result')"))


async def test_the_reaper_deletes_what_is_overdue_and_nothing_else(cluster, driver):
    for name, deadline in (("late", 1), ("early", int(time.time()) + 600)):
        made = box_job(name, "none", Limits(), {DEADLINE_LABEL: str(deadline)}, "", "", 60.0)
        await driver.cluster.create(made)
    assert await driver.reap() == 1
    assert [job["metadata"]["name"] for job in await driver.cluster.found(Kind.JOBS, DEADLINE_LABEL)] == ["early"]


OWNER = """
import asyncio, sys
from pathlib import Path
from kit.sandbox.kubernetes_driver import KubernetesDriver
from tests.contract.box_jobs import python
async def main():
    driver = KubernetesDriver(sys.argv[1], sys.argv[2], kubeconfig=Path(sys.argv[3]))
    await driver.run(python(sys.argv[4]), on_said=lambda said: print('on', flush=True))
asyncio.run(main())
"""


async def test_a_box_ends_when_its_owner_is_killed(cluster, tmp_path):
    arguments = [IMAGE, NAMESPACE, str(cluster.kubeconfig(tmp_path)), SLEEPER]
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, *arguments, cwd=ROOT, stdout=subprocess.PIPE
    )
    assert await owner.stdout.readline() == b"on\n"
    (container,) = cluster.node.containers.values()
    os.kill(owner.pid, signal.SIGKILL)
    await owner.wait()
    async with asyncio.timeout(10):
        await container.over.wait()


async def test_two_jobs_never_share_a_name(driver):
    made = box_job("taken", "none", Limits(), {}, "", "", 60.0)
    await driver.cluster.create(made)
    with pytest.raises(SandboxUnavailable, match="already exists"):
        await driver.cluster.create(made)


async def test_an_image_that_can_t_be_pulled_is_said_so(cluster, tmp_path):
    driver = KubernetesDriver("no/such:image", NAMESPACE, kubeconfig=cluster.kubeconfig(tmp_path))
    with pytest.raises(SandboxUnavailable, match="ImagePullBackOff: no/such:image: not found"):
        await driver.run(python("say('result')"))
    await driver.close()
    assert cluster.store.objects == {}


async def test_a_box_that_can_t_get_ready_says_why_and_is_cleaned_up(cluster, tmp_path):
    cluster.node._images["broken"] = [sys.executable, "-c", "import sys; sys.exit('no runner in this image')"]
    driver = KubernetesDriver("broken", NAMESPACE, kubeconfig=cluster.kubeconfig(tmp_path))
    with pytest.raises(SandboxUnavailable, match="no runner in this image"):
        await driver.run(python("say('result')"))
    await driver.close()
    assert cluster.store.objects == {}


async def test_a_box_that_waits_too_long_is_cleaned_up(cluster, tmp_path):
    cluster.node._images["slow"] = None
    cluster.node.take = _never
    driver = fake_driver(cluster, tmp_path, start_timeout_s=0.3)
    with pytest.raises(SandboxUnavailable, match=r"not running within 0\.3 s; it waits for .*quota"):
        await driver.run(python("say('result')"))
    await driver.close()
    assert cluster.store.objects == {}


async def _never(job: dict) -> None:
    """A Job controller whose pods are refused, by a quota for instance."""


async def test_what_an_account_may_not_do_is_unavailable_with_the_cluster_s_reason(cluster, driver):
    cluster._rights.discard(("jobs", "create"))
    with pytest.raises(SandboxUnavailable, match="cannot create jobs"):
        await driver.run(python("say('result')"))


async def test_outside_a_cluster_and_with_no_kubeconfig_there_is_no_box():
    driver = KubernetesDriver(IMAGE, NAMESPACE)
    with pytest.raises(SandboxUnavailable, match="No Kubernetes cluster is configured"):
        await driver.check()
    await driver.close()


async def test_a_hung_server_is_unavailable_with_the_time_out_named(tmp_path, cluster):
    silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    cluster.address = f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
    driver = fake_driver(cluster, tmp_path, api_timeout_s=0.2)
    with pytest.raises(SandboxUnavailable, match=r"did not answer within 0\.2 s"):
        await driver.run(python("say('result')"))
    await driver.close()
    silent.close()


async def test_the_driver_uses_each_right_that_the_manifests_give_and_no_other(cluster, driver):
    watched = [driver.cluster.states(kind, DRIVER_LABEL) for kind in Kind]
    assert [await anext(states) for states in watched] == [None, None]
    task, job = await under_way(driver)
    assert all([await anext(states) for states in watched])  # what came after the first look was watched for
    cluster.node.end(job, 137, "OOMKilled")
    await task
    await driver.reap()
    await driver.cluster.last_words(f"{job}-0", "box")
    for states in watched:
        await states.aclose()
    assert cluster.used == granted()


async def test_choosing_kubernetes_gives_a_driver_that_was_tried_out(cluster, tmp_path):
    choice = SandboxChoice(
        driver="kubernetes", image=IMAGE, namespace=NAMESPACE, kubeconfig=cluster.kubeconfig(tmp_path)
    )
    driver, why = await choose_driver(choice)
    assert why == f"Boxes are kubernetes jobs in {NAMESPACE} ({IMAGE})."
    await driver.close()
    with pytest.raises(SandboxUnavailable, match="GYMWRIGHT_SANDBOX_IMAGE"):
        await choose_driver(choice.model_copy(update={"image": ""}))


def described() -> dict:
    return box_job("gymwright-a-b", "gymwright/sandbox:1", Limits(), {DRIVER_LABEL: "a"}, "run", "gvisor", 60.0)


def test_a_box_is_let_into_a_restricted_namespace_with_all_its_limits():
    job = described()
    pod = job["spec"]["template"]["spec"]
    assert breaks_restricted(pod) == []
    (container,) = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["resources"]["limits"] == container["resources"]["requests"]
    assert container["resources"]["limits"] | {"ephemeral-storage": ""} == {
        "cpu": "1000m", "memory": "1024Mi", "ephemeral-storage": ""
    }  # fmt: skip
    assert (pod["automountServiceAccountToken"], pod["runtimeClassName"]) == (False, "gvisor")
    assert {volume["emptyDir"]["medium"] for volume in pod["volumes"]} == {"Memory"}
    assert (job["spec"]["backoffLimit"], job["spec"]["activeDeadlineSeconds"]) == (0, 125)
    assert "env" not in container or {one["name"] for one in container["env"]} == {"GYMWRIGHT_BOX_RLIMITS"}


def test_a_box_is_valid_for_the_cluster_s_own_schema(tmp_path):
    require_tools()
    (tmp_path / "job.json").write_text(json.dumps(described()))
    command = [str(TOOLS / "checks/bin/kubernetes-validate"), "--strict", "--kubernetes-version", "1.37"]
    done = subprocess.run([*command, str(tmp_path / "job.json")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
