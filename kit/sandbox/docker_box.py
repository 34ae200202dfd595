"""One container, from its creation to its removal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject
from kit.inside import frames
from kit.inside.strict import NotStrict, strict_object
from kit.sandbox.container import MIB, Shape
from kit.sandbox.conversation import GRACE_S, Conversation
from kit.sandbox.docker_stream import DockerStream
from kit.sandbox.endings import result_of
from kit.sandbox.engine import Engine
from kit.sandbox.jobs import Job, JobResult


class _EndedEarly(SandboxUnavailable):
    """The box was gone before it was ready."""


@dataclass
class DockerBox:
    """A started container whose runner said READY. It does one job and is destroyed."""

    engine: Engine
    container: str
    stream: DockerStream
    shape: Shape
    started: float  # Unix time, a little before

    @classmethod
    async def start(
        cls, engine: Engine, name: str, description: JsonObject, shape: Shape, timeout_s: float
    ) -> DockerBox:
        """Create, attach, start, wait for READY; cleans up and raises SandboxUnavailable if one fails."""
        started = time.time()
        container = await engine.create(name, description)
        stream: DockerStream | None = None
        try:
            async with asyncio.timeout(timeout_s):
                stream = await DockerStream.over(await engine.attach(container))
                await engine.start(container)
                await _until_ready(stream)
            return cls(engine, container, stream, shape, started)
        except BaseException as problem:
            if stream is not None:
                stream.close()
            with suppress(SandboxUnavailable):  # what went wrong first is what counts; the reaper does the rest
                await asyncio.shield(engine.remove(container))
            if isinstance(problem, _EndedEarly) and await engine.ran_out_of_memory(container, started):
                raise SandboxUnavailable(
                    f"{shape.memory_mib} MiB of memory are not enough for a box to get ready."
                ) from None
            if isinstance(problem, TimeoutError):
                raise SandboxUnavailable(f"A box was not ready within {timeout_s:g} s.") from None
            if isinstance(problem, (KeyError, ValueError, OSError)):
                raise SandboxUnavailable(f"A box could not be started: {problem}") from problem
            raise

    def alive(self) -> bool:
        """Whether it can still be handed a job."""
        return not self.stream.ended()

    async def reshape(self, shape: Shape) -> None:
        """Change the limits that can be changed while it runs."""
        await self.engine.update(self.container, shape.memory_mib * MIB, int(shape.cpus * 1e9), shape.processes)
        self.shape = shape

    async def work(self, job: Job, into: Path | None, on_said: Callable[[JsonObject], None]) -> JobResult:
        """Do the job, to its end or its limit. The caller destroys the box, whatever happens."""
        talk, begun = Conversation(job, into, on_said), time.monotonic()
        stopped = await talk.hold_until(self.stream, job.limits.wall_s + GRACE_S)
        wall_s = time.monotonic() - begun
        out_of_memory = False
        if not (talk.heard.ended or stopped):
            out_of_memory = await self.engine.ran_out_of_memory(self.container, self.started)
        return result_of(talk.heard, stopped, out_of_memory, wall_s)

    async def destroy(self) -> None:
        """Close first (a kill can hang while nobody reads), then kill and remove."""
        self.stream.close()
        await self.engine.remove(self.container)


async def _until_ready(stream: DockerStream) -> None:
    """Return at READY; SandboxUnavailable with what the runner complained of if it ends before."""
    reader = frames.FrameReader(65536)
    while data := await stream.receive():
        for kind, body in reader.feed(data):
            if kind != frames.READY:
                raise SandboxUnavailable("The box's first words were not that it is ready.")
            try:
                missing = strict_object(body).get("missing")
            except NotStrict as problem:
                raise SandboxUnavailable(f"The box's first words are {problem}.") from None
            if missing:
                raise SandboxUnavailable(f"The sandbox image lacks a module: {missing}.")
            return
    complaint = stream.stderr.decode(errors="replace").strip()[-1500:]
    raise _EndedEarly(f"The box ended before it was ready: {complaint or 'without a word'}")
