"""The Kubernetes driver: each box is a Job in a namespace that holds nothing else."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject
from kit.sandbox.box_job import DEADLINE_LABEL, DRIVER_LABEL, box_job
from kit.sandbox.cluster import Cluster, Kind
from kit.sandbox.conversation import GRACE_S
from kit.sandbox.driver import Capabilities
from kit.sandbox.jobs import Job, JobResult, Limits
from kit.sandbox.kubernetes_box import KubernetesBox
from kit.sandbox.reaper import is_overdue

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
REAP_EVERY_S: Final = 60.0
CLOSING_S: Final = 10.0


class KubernetesDriver:
    """SandboxDriver over a Kubernetes API server. Make it, and use it, inside one running event loop."""

    def __init__(
        self,
        image: str,
        namespace: str,
        *,
        kubeconfig: Path | None = None,
        runtime_class: str = "",
        at_once: int | None = None,
        start_timeout_s: float = 120.0,
        api_timeout_s: float = 20.0,
    ) -> None:
        """image: as the cluster's nodes can pull it. kubeconfig: None for the account of our own pod.

        start_timeout_s: for a node to be found and the image to be there.
        """
        self.image = image
        self.name = secrets.token_hex(4)  # of this driver, so that its boxes can be told from others
        self.cluster = Cluster(namespace, kubeconfig, api_timeout_s)
        self._runtime_class = runtime_class
        self._start_timeout_s = start_timeout_s
        self._turns = asyncio.Semaphore(at_once or AT_ONCE)
        self._reaper: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Future[None]] = set()
        self._closed = False
        self.capabilities = Capabilities(
            name="kubernetes" if not runtime_class else f"kubernetes ({runtime_class})",
            contains_memory=True,
            contains_processes=True,
            contains_disk=True,
            refuses_network=True,
            refuses_kernel_features=True,
            hides_host_files=True,
        )

    async def run(
        self,
        job: Job,
        artifacts_into: Path | None = None,
        on_said: Callable[[JsonObject], None] = lambda said: None,
    ) -> JobResult:
        """As SandboxDriver.run says. Waits for its turn first; the limits count from hand-off."""
        if self._reaper is None:
            self._reaper = asyncio.create_task(self._reap_for_ever())
        done = asyncio.get_running_loop().create_future()
        self._under_way.add(done)
        try:
            async with self._turns:
                return await self._run(job, artifacts_into, on_said)
        finally:
            self._under_way.discard(done)
            done.set_result(None)

    async def check(self) -> None:
        """As SandboxDriver.check says: a box that does nothing starts, and ends well."""
        done = await self.run(
            Job(entry="kit.inside.script", payload={"source": "say('result')"}, limits=Limits(wall_s=30.0))
        )
        if done.result is None:
            raise SandboxUnavailable(f"A box on this cluster does not work: {done.note or done.output[-500:]}")

    async def reap(self) -> int:
        """Delete every Job past its deadline, whichever process once made it; how many."""
        reaped = 0
        for job in await self.cluster.found(Kind.JOBS, DEADLINE_LABEL):
            about = job["metadata"]
            if is_overdue(about["labels"][DEADLINE_LABEL], time.time()):  # type: ignore[index]
                log.warning("reaping box %s: its deadline has passed", about["name"])  # type: ignore[index]
                await self.cluster.delete(about["name"])  # type: ignore[index]
                reaped += 1
        return reaped

    async def close(self) -> None:
        """As SandboxDriver.close says. Jobs under way end as KILLED, those in the queue as unavailable."""
        self._closed = True
        if self._reaper is not None:
            self._reaper.cancel()
            with suppress(asyncio.CancelledError):
                await self._reaper
        give_up = time.monotonic() + CLOSING_S
        while self._under_way and time.monotonic() < give_up:
            with suppress(SandboxUnavailable):
                for job in await self.cluster.found(Kind.JOBS, f"{DRIVER_LABEL}={self.name}"):
                    await self.cluster.delete(job["metadata"]["name"])  # type: ignore[index]
            await asyncio.wait(self._under_way, timeout=1.0)  # one may just have been starting
        await self.cluster.close()

    async def _run(self, job: Job, into: Path | None, on_said: Callable[[JsonObject], None]) -> JobResult:
        if self._closed:
            raise SandboxUnavailable("The sandbox is closing.")
        box = await KubernetesBox.start(self.cluster, self._described(job), self._start_timeout_s)
        try:
            return await box.work(job, into, on_said)
        finally:
            with suppress(SandboxUnavailable):  # then the Job's own deadline and the reaper see to it
                await asyncio.shield(box.destroy())

    def _described(self, job: Job) -> JsonObject:
        deadline = time.time() + self._start_timeout_s + job.limits.wall_s + GRACE_S + 60.0
        return box_job(
            f"gymwright-{self.name}-{secrets.token_hex(4)}",
            self.image,
            job.limits,
            {DRIVER_LABEL: self.name, DEADLINE_LABEL: str(int(deadline))},
            job.owner,
            self._runtime_class,
            self._start_timeout_s,
        )

    async def _reap_for_ever(self) -> None:
        while True:
            with suppress(SandboxUnavailable):
                await self.reap()
            await asyncio.sleep(REAP_EVERY_S)
