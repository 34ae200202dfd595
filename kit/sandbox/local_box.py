"""One local box: a runner in a session of its own, from its start to the death of all it started."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from gymwright.errors import SandboxUnavailable
from kit.inside import frames
from kit.sandbox import bubblewrap
from kit.sandbox.cgroups import Cgroup
from kit.sandbox.interpreter import Interpreter
from kit.sandbox.jobs import Limits
from kit.sandbox.leftovers import own_name

MIB: Final = 2**20
_START: Final = "import sys; sys.path.insert(0, {code!r}); from kit.inside.runner import main; main()"
# Joins the control groups before anything can be forked, then becomes the command.
_JOIN: Final = 'for group in $GROUPS_TO_JOIN; do echo $$ > "$group/cgroup.procs" || exit 1; done; exec "$@"'


@dataclass(frozen=True)
class Confinement:
    """What this machine lets us put around a process."""

    interpreter: Interpreter
    code: Path  # a readable copy of what a box holds of our code
    wrapped: bool  # in bubblewrap
    grouped: bool  # in control groups


class LocalBox:
    """The runner's process, its streams, and everything to be cleared away after it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        complaints: IO[bytes],
        cgroup: Cgroup | None,
        work: Path | None,
    ) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process = process
        self._stdin, self._stdout = process.stdin, process.stdout
        self._complaints = complaints
        self._cgroup = cgroup
        self._work = work

    @classmethod
    async def start(cls, how: Confinement, limits: Limits, uid: int | None, preload: str) -> LocalBox:
        """Start a runner; SandboxUnavailable if it can't be."""
        cgroup = Cgroup.make(limits) if how.grouped else None
        work = None if how.wrapped else Path(tempfile.mkdtemp(prefix=own_name("box")))
        if work is not None and uid is not None:
            os.chown(work, uid, uid)
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 closed by destroy()
        code = bubblewrap.CODE if how.wrapped else str(how.code)
        command = [how.interpreter.executable, "-I", "-c", _START.format(code=code)]
        if how.wrapped:
            command = bubblewrap.wrap(command, how.interpreter, how.code, limits)
        groups = " ".join(map(str, cgroup.folders)) if cgroup else ""
        environment = {
            "PATH": "/usr/bin:/bin",
            "GROUPS_TO_JOIN": groups,
            "GYMWRIGHT_BOX_DIR": str(work or "/job"),
            "GYMWRIGHT_BOX_PRELOAD": preload,
            "GYMWRIGHT_BOX_UID": "" if uid is None else str(uid),
            "GYMWRIGHT_BOX_CONNECT": "" if how.wrapped else "refuse",
            "GYMWRIGHT_BOX_RLIMITS": json.dumps(_rlimits(limits, cgroup is not None, uid is not None)),
        }
        try:
            process = await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", _JOIN, "sh", *command,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=complaints,
                env=environment, cwd="/", start_new_session=True, limit=2**20,
            )  # fmt: skip
        except BaseException as problem:
            complaints.close()
            if cgroup is not None:
                cgroup.destroy()
            if work is not None:
                shutil.rmtree(work, ignore_errors=True)
            if isinstance(problem, OSError):
                raise SandboxUnavailable(f"A local box could not be started: {problem}") from None
            raise
        return cls(process, complaints, cgroup, work)

    async def ready(self) -> None:
        """Return at the runner's READY; SandboxUnavailable with its complaint if it ends before."""
        reader = frames.FrameReader(65536)
        while data := await self.receive():
            for kind, _ in reader.feed(data):
                if kind == frames.READY:
                    return
        self._complaints.seek(0)
        complaint = self._complaints.read(4000).decode(errors="replace").strip()[-1500:]
        raise SandboxUnavailable(f"The local box ended before it was ready: {complaint or 'without a word'}")

    async def send(self, data: bytes) -> None:
        """Hand bytes to the runner's stdin."""
        self._stdin.write(data)
        await self._stdin.drain()

    async def receive(self) -> bytes:
        """The next bytes of the runner's stdout; empty when it is closed."""
        return await self._stdout.read(2**18)

    def close(self) -> None:
        """Close our end; the runner ends by itself then."""
        self._stdin.close()

    def out_of_memory(self) -> bool:
        """Whether the kernel killed anybody in the box; unknown, so False, without a control group."""
        return self._cgroup is not None and self._cgroup.out_of_memory()

    async def destroy(self) -> None:
        """Kill all of it: with the runner its process namespace, else its groups."""
        self.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._cgroup is not None:
            await asyncio.to_thread(self._cgroup.destroy)
        with suppress(TimeoutError):
            async with asyncio.timeout(5.0):
                while await self._stdout.read(2**18):
                    pass
                await self._process.wait()
        self._complaints.close()
        if self._work is not None:
            await asyncio.to_thread(shutil.rmtree, self._work, ignore_errors=True)


def _rlimits(limits: Limits, grouped: bool, own_user: bool) -> dict[str, int]:
    """What the runner lays on itself before anything else. Memory only where no control group does it."""
    found = {"CORE": 0, "NOFILE": 1024, "FSIZE": limits.work_mib * MIB, "MEMLOCK": 65536}
    if not grouped:
        found["DATA"] = limits.memory_mib * MIB
        if own_user:  # counted a user: with the caller's own, his desktop would count too
            found["NPROC"] = limits.processes
    return found
