"""The SandboxDriver protocol: as few verbs as possible, and the hard cases fixed here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from kit.contracts.records import JsonObject, Record
from kit.sandbox.jobs import Job, JobResult


class Capabilities(Record):
    """Which lines of the contract a driver promises; the contract suite runs exactly those."""

    name: str
    contains_memory: bool
    contains_processes: bool
    contains_disk: bool
    refuses_network: bool
    refuses_kernel_features: bool  # io_uring, user namespaces, bpf, ptrace of others, ...
    hides_host_files: bool
    weaker_because: str = ""  # empty where everything above holds


class SandboxDriver(Protocol):
    """Runs one piece of work in a throwaway box. Only the JobResult comes out of it."""

    capabilities: Capabilities

    async def run(
        self,
        job: Job,
        artifacts_into: Path | None = None,
        on_said: Callable[[JsonObject], None] = lambda said: None,
    ) -> JobResult:
        """Run to the end or to limits.wall_s, then destroy the box; also when cancelled.

        Work that crashes, overruns or lies is a JobResult. SandboxUnavailable is raised only if no
        box could be had, or one was lost to a failure of the machinery, such as a node that went
        away. on_said is called for every object as it arrives.
        Cancelling the task destroys the box within two seconds.
        """

    async def check(self) -> None:
        """Return if a box could be had now; raise SandboxUnavailable saying what to do if not."""

    async def close(self) -> None:
        """Destroy every box of this driver, warm ones too."""
