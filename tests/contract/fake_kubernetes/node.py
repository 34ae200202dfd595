"""The Job controller and the one node: a Job becomes a pod, a pod a process, its end a condition."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.contract.fake_kubernetes.store import Store

JOB_NAME = "batch.kubernetes.io/job-name"


class Container:
    """A process, its log, and who is attached."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.log = b""
        self.listeners: list[asyncio.Queue[tuple[int, bytes] | None]] = []
        self.forced: tuple[int, str] | None = None  # exit code and reason that the kubelet would tell
        self.over = asyncio.Event()

    async def copy(self, number: int, stream: asyncio.StreamReader) -> None:
        """What it writes goes to the log, and to those attached at this moment; nothing is told again."""
        while data := await stream.read(2**15):
            self.log = (self.log + data)[-(2**20) :]
            for listener in self.listeners:
                await listener.put((number, data))

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


class Node:
    """Runs pods; images are commands of this machine."""

    def __init__(self, store: Store, images: dict[str, list[str]], drop_to_pod_user: bool) -> None:
        self._store = store
        self._images = images
        self._drop = drop_to_pod_user
        self.containers: dict[str, Container] = {}
        self._lives: dict[str, asyncio.Task[None]] = {}  # by Job

    async def take(self, job: dict) -> None:
        """A Job was created."""
        name = job["metadata"]["name"]
        self._lives[name] = asyncio.create_task(self._live(name, job))

    async def drop(self, job_name: str, with_pods: bool) -> None:
        """A Job was deleted."""
        life = self._lives.pop(job_name, None)
        if life is not None and with_pods:
            life.cancel()
            with suppress(asyncio.CancelledError):
                await life
        if with_pods:
            await self._delete_pods(job_name)

    async def pass_deadline(self, job_name: str) -> None:
        """As if activeDeadlineSeconds were over."""
        await self._condition(job_name, "Failed", "DeadlineExceeded", "Job was active longer than specified deadline")
        life = self._lives.pop(job_name)
        life.cancel()
        with suppress(asyncio.CancelledError):
            await life
        await self._delete_pods(job_name)

    def end(self, job_name: str, code: int, reason: str) -> None:
        """Kill the Job's container, and let the kubelet say this of it."""
        container = self.containers[f"{job_name}-0"]
        container.forced = (code, reason)
        container.kill()

    async def close(self) -> None:
        for name in list(self._lives):
            await self.drop(name, with_pods=True)

    async def _live(self, name: str, job: dict) -> None:
        template, pod_name = job["spec"]["template"], f"{name}-0"
        labels = {**template["metadata"]["labels"], JOB_NAME: name}
        pod = {"kind": "Pod", "metadata": {"name": pod_name, "labels": labels}, "spec": template["spec"]}
        await self._store.create("pods", pod | {"status": {"phase": "Pending"}})
        (described,) = template["spec"]["containers"]
        command = self._images.get(described["image"])
        if command is None:
            for reason in ("ErrImagePull", "ImagePullBackOff"):
                waiting = {"reason": reason, "message": f"{described['image']}: not found"}
                await self._state(pod_name, "Pending", {"waiting": waiting})
            return
        await self._state(pod_name, "Pending", {"waiting": {"reason": "ContainerCreating"}})
        container = await self._start(template["spec"], described, command)
        self.containers[pod_name] = container
        await self._store.change("jobs", name, {"active": 1})
        await self._state(pod_name, "Running", {"running": {}})
        try:
            code, reason = await self._until_over(container)
        finally:
            container.kill()
            container.over.set()
            for listener in container.listeners:
                listener.put_nowait(None)
            shutil.rmtree(container.folder, ignore_errors=True)
        ended = {"terminated": {"exitCode": code, "reason": reason}}
        await self._state(pod_name, "Succeeded" if code == 0 else "Failed", ended)
        if code == 0:
            await self._condition(name, "Complete", "CompletionsReached", "Reached expected number of succeeded pods")
        else:
            await self._condition(name, "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
        await asyncio.sleep(job["spec"]["ttlSecondsAfterFinished"])
        await self._store.delete("jobs", name)
        await self._store.delete("pods", pod_name)

    async def _start(self, spec: dict, described: dict, command: list[str]) -> Container:
        folder = Path(tempfile.mkdtemp(prefix="fake-kubernetes-"))
        environment = {one["name"]: one["value"] for one in described.get("env", ())}
        environment |= {"PATH": "/usr/bin:/bin", "GYMWRIGHT_BOX_DIR": str(folder), "GYMWRIGHT_BOX_CONNECT": "refuse"}
        if self._drop:
            user = spec["securityContext"]["runAsUser"]
            os.chown(folder, user, user)
            environment["GYMWRIGHT_BOX_UID"] = str(user)
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, cwd="/", start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        return Container(process, folder)

    async def _until_over(self, container: Container) -> tuple[int, str]:
        process = container.process
        assert process.stdout is not None and process.stderr is not None
        await asyncio.gather(container.copy(1, process.stdout), container.copy(2, process.stderr))
        code = await process.wait()
        return container.forced or (128 - code if code < 0 else code, "Completed" if code == 0 else "Error")

    async def _delete_pods(self, job_name: str) -> None:
        for pod in self._store.listed("pods", f"{JOB_NAME}={job_name}"):
            await self._store.delete("pods", pod["metadata"]["name"])

    async def _state(self, pod: str, phase: str, state: dict) -> None:
        await self._store.change("pods", pod, {"phase": phase, "containerStatuses": [{"name": "box", "state": state}]})

    async def _condition(self, job: str, kind: str, reason: str, message: str) -> None:
        # The controller first says what will be, and the final word when all pods are gone.
        early = {"Complete": "SuccessCriteriaMet", "Failed": "FailureTarget"}[kind]
        told = {"status": "True", "reason": reason, "message": message}
        await self._store.change("jobs", job, {"conditions": [{"type": early, **told}]})
        await self._store.change("jobs", job, {"conditions": [{"type": early, **told}, {"type": kind, **told}]})
