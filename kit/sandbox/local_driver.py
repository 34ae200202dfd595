"""The local driver, for a machine without an engine: a best-effort box, and it says what it lacks."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject
from kit.sandbox import bubblewrap
from kit.sandbox.cgroups import Cgroup
from kit.sandbox.conversation import GRACE_S, Conversation
from kit.sandbox.driver import Capabilities
from kit.sandbox.endings import result_of
from kit.sandbox.image import copy_code
from kit.sandbox.interpreter import Interpreter
from kit.sandbox.jobs import Job, JobResult, Limits
from kit.sandbox.leftovers import own_name, sweep
from kit.sandbox.local_box import Confinement, LocalBox

FIRST_UID: Final = 10001
UIDS: Final = 1000  # each box has a user of its own, so that boxes can't signal one another


class LocalDriver:
    """SandboxDriver by subprocesses. Its constructor tries out, in well under a second, what is allowed here."""

    def __init__(
        self,
        python: Path,
        *,
        at_once: int | None = None,
        bwrap: bool = True,
        cgroups: bool = True,
        preload: tuple[str, ...] = (),
        start_timeout_s: float = 60.0,
    ) -> None:
        """python: an interpreter that has the libraries jobs need. SandboxUnavailable if it won't run.

        bwrap, cgroups: use them where they work; False makes a weaker box, for tests.
        """
        interpreter = Interpreter.at(python)
        wrapped = bwrap and bubblewrap.works()
        if os.geteuid() == 0 and not wrapped and not interpreter.runs_as(FIRST_UID):
            raise SandboxUnavailable(
                f"Other users can't read {interpreter.executable}, and a box never runs as root: "
                "install bubblewrap, or put the interpreter where everybody can read it."
            )
        sweep()
        grouped = False
        if cgroups and (probe := Cgroup.make(Limits())):
            probe.destroy()
            grouped = True
        self._code = Path(tempfile.mkdtemp(prefix=own_name("code")))
        self._code.chmod(0o755)
        copy_code(self._code)
        self._how = Confinement(interpreter, self._code, wrapped, grouped)
        self._preload = ",".join(preload)
        self._start_timeout_s = start_timeout_s
        self._turns = asyncio.Semaphore(at_once or os.cpu_count() or 1)
        self._uids = itertools.cycle(range(FIRST_UID, FIRST_UID + UIDS))
        self._boxes: set[LocalBox] = set()
        self.capabilities = _capabilities(wrapped, grouped)

    async def run(
        self,
        job: Job,
        artifacts_into: Path | None = None,
        on_said: Callable[[JsonObject], None] = lambda said: None,
    ) -> JobResult:
        """As SandboxDriver.run says. Waits for its turn first; the limits count from hand-off."""
        async with self._turns:
            uid = next(self._uids) if os.geteuid() == 0 else None
            box = await LocalBox.start(self._how, job.limits, uid, self._preload)
            self._boxes.add(box)
            try:
                await self._until_ready(box)
                return await self._work(box, job, artifacts_into, on_said)
            finally:
                self._boxes.discard(box)
                await asyncio.shield(box.destroy())

    async def check(self) -> None:
        """As SandboxDriver.check says: a box that does nothing starts, and ends well."""
        done = await self.run(
            Job(entry="kit.inside.script", payload={"source": "say('result')"}, limits=Limits(wall_s=30.0))
        )
        if done.result is None:
            raise SandboxUnavailable(f"A local box does not work here: {done.note or done.output[-500:]}")

    async def close(self) -> None:
        """As SandboxDriver.close says."""
        for box in list(self._boxes):
            await box.destroy()
        shutil.rmtree(self._code, ignore_errors=True)

    async def _until_ready(self, box: LocalBox) -> None:
        try:
            async with asyncio.timeout(self._start_timeout_s):
                await box.ready()
        except TimeoutError:
            raise SandboxUnavailable(f"A local box was not ready within {self._start_timeout_s:g} s.") from None

    async def _work(
        self, box: LocalBox, job: Job, into: Path | None, on_said: Callable[[JsonObject], None]
    ) -> JobResult:
        talk, begun = Conversation(job, into, on_said), time.monotonic()
        stopped = await talk.hold_until(box, job.limits.wall_s + GRACE_S)
        return result_of(talk.heard, stopped, box.out_of_memory(), time.monotonic() - begun)


def _capabilities(wrapped: bool, grouped: bool) -> Capabilities:
    lacks = []
    if not wrapped:
        lacks.append("no bubblewrap: it sees the machine's files and processes, and can fill its disk")
    if not grouped:
        lacks.append("no control group: memory is limited for each process, not for all together, and files by nothing")
    if not lacks:
        lacks.append("one filter of ours and no engine's profile; the number of files is bounded by memory only")
    return Capabilities(
        name="local",
        contains_memory=grouped,
        contains_processes=wrapped or grouped,
        contains_disk=wrapped,
        refuses_network=True,  # the runner's filter does it, with or without a namespace
        refuses_kernel_features=True,
        hides_host_files=wrapped,
        weaker_because="; ".join(lacks),
    )
