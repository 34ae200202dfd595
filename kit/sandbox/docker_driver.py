"""The Docker driver: throwaway containers, some of them waiting warm."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject
from kit.sandbox import container as shut
from kit.sandbox.container import Shape, container
from kit.sandbox.conversation import GRACE_S
from kit.sandbox.docker_box import DockerBox
from kit.sandbox.driver import Capabilities
from kit.sandbox.engine import Engine
from kit.sandbox.image import ROOT, libs_image, sandbox_image
from kit.sandbox.jobs import Job, JobResult, Limits
from kit.sandbox.pool import WarmPool
from kit.sandbox.reaper import reap_for_ever

HEAVY: Final = ("numpy", "pydantic", "gymnasium", "torch", "stable_baselines3", "sb3_contrib", "onnxruntime")
IDLE_S: Final = 900.0
REAP_EVERY_S: Final = 60.0
CLOSING_S: Final = 10.0


class DockerDriver:
    """SandboxDriver over a Docker engine. Make it, and use it, inside one running event loop."""

    def __init__(
        self,
        image: str | None = None,
        *,
        warm: int = 1,
        warm_limits: Limits | None = None,
        at_once: int | None = None,
        preload: tuple[str, ...] = HEAVY,
        runtime: str | None = None,
        code_dir: Path | None = None,
        address: str | None = None,
        engine_timeout_s: float = 20.0,
        start_timeout_s: float = 60.0,
        longest_wall_s: float = 6 * 3600.0,
    ) -> None:
        """image: None for the one that belongs to this code (deploy/docker/build.sh builds it).

        warm: how many boxes of warm_limits' shape (Limits() if None) wait, filled in the background.
        at_once: how many jobs work at a time, the others queue; None for one a core.
        code_dir: a checkout whose code is mounted over the image's; then the libraries alone serve.
        longest_wall_s: of a job in a warm box, whose deadline label was fixed before the job came.
        """
        self.image = image or _own_image(code_dir)
        self._preload = ",".join(preload)
        self._runtime = runtime
        self.code_dir = code_dir
        self._start_timeout_s = start_timeout_s
        self._longest_wall_s = longest_wall_s
        self.engine = Engine(address, engine_timeout_s)
        self.name = secrets.token_hex(4)  # of this driver, so that its boxes can be told from others
        self._warm_shape = Shape.of(warm_limits or Limits())
        self._pool = WarmPool(warm, lambda: self._start(self._warm_shape, "", self._longest_wall_s), IDLE_S)
        self._turns = asyncio.Semaphore(at_once or os.cpu_count() or 1)
        self._reaper: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Future[None]] = set()  # one a call of run()
        self._closed = False
        self.capabilities = Capabilities(
            name="docker" if runtime is None else f"docker ({runtime})",
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
        self._begin()
        done = asyncio.get_running_loop().create_future()
        self._under_way.add(done)
        try:
            async with self._turns:
                return await self._run(job, artifacts_into, on_said)
        finally:
            self._under_way.discard(done)
            done.set_result(None)

    async def _run(self, job: Job, into: Path | None, on_said: Callable[[JsonObject], None]) -> JobResult:
        if self._closed:
            raise SandboxUnavailable("The sandbox is closing.")
        box = await self._box_for(job)
        try:
            return await box.work(job, into, on_said)
        finally:
            with suppress(SandboxUnavailable):  # then the box's own deadline and the reaper see to it
                await asyncio.shield(box.destroy())

    async def check(self) -> None:
        """As SandboxDriver.check says: the engine answers, and it has the image. Boxes begin to warm then."""
        await self.engine.ping()
        await self.engine.has_image(self.image)
        if self._runtime is not None:  # an engine lists runtimes that can't start anything
            box = await self._start(self._warm_shape, "check", 60.0)
            await box.destroy()
        self._begin()

    async def warmed(self) -> None:
        """Return when every place of the pool is filled."""
        await self._pool.full()

    async def close(self) -> None:
        """As SandboxDriver.close says. Jobs under way end as KILLED, those in the queue as unavailable."""
        self._closed = True
        if self._reaper is not None:
            self._reaper.cancel()
            with suppress(asyncio.CancelledError):
                await self._reaper
        await self._pool.close()
        give_up = time.monotonic() + CLOSING_S
        while True:
            with suppress(SandboxUnavailable):
                for left, _ in await self.engine.labelled(f"{shut.DRIVER_LABEL}={self.name}"):
                    await self.engine.remove(left)
            if not self._under_way or time.monotonic() > give_up:
                break
            await asyncio.wait(self._under_way, timeout=1.0)  # one may just have been starting
        await self.engine.close()

    def _begin(self) -> None:
        self._pool.begin()
        if self._reaper is None:
            self._reaper = asyncio.create_task(reap_for_ever(self.engine, REAP_EVERY_S))

    async def _box_for(self, job: Job) -> DockerBox:
        """A warm box of the right shape, one that can be given it, or a cold one."""
        shape = Shape.of(job.limits)
        # A tmpfs keeps the size it was made with; everything else can be changed while a box waits.
        if shape.work_mib == self._warm_shape.work_mib and job.limits.wall_s <= self._longest_wall_s:
            box = self._pool.claim()
            if box is not None and (shape == box.shape or await self._reshaped(box, shape)):
                return box
        return await self._start(shape, job.owner, job.limits.wall_s)

    async def _reshaped(self, box: DockerBox, shape: Shape) -> bool:
        """Whether the box took on the shape; it is destroyed if it did not, e.g. with less memory than it uses."""
        try:
            await box.reshape(shape)
            return True
        except BaseException as problem:
            with suppress(SandboxUnavailable):
                await asyncio.shield(box.destroy())
            if isinstance(problem, SandboxUnavailable):
                return False
            raise

    async def _start(self, shape: Shape, owner: str, wall_s: float) -> DockerBox:
        name = f"gymwright-{self.name}-{secrets.token_hex(4)}"
        deadline = time.time() + self._start_timeout_s + wall_s + GRACE_S + 60.0
        if not owner:
            deadline += IDLE_S
        labels = {
            shut.OWNER_LABEL: owner,
            shut.JOB_LABEL: name,
            shut.DRIVER_LABEL: self.name,
            shut.DEADLINE_LABEL: str(int(deadline)),
        }
        description = container(self.image, shape, labels, self._preload, self._runtime, self.code_dir)
        return await DockerBox.start(self.engine, name, description, shape, self._start_timeout_s)


def _own_image(code_dir: Path | None) -> str:
    try:
        return sandbox_image() if code_dir is None else libs_image(code_dir)
    except FileNotFoundError as missing:
        raise SandboxUnavailable(
            f"This is no checkout ({missing.filename} is not here), so GYMWRIGHT_SANDBOX_IMAGE must name the image."
        ) from None


def checkout() -> Path:
    """The folder that code_dir names when the code of this very process is to be mounted."""
    return ROOT
