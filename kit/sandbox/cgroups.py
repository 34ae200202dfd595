"""Control groups for the local driver, where this process may make them (v1 and v2)."""

from __future__ import annotations

import os
import secrets
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.sandbox.jobs import Limits

MOUNT: Final = Path("/sys/fs/cgroup")
MIB: Final = 2**20


@dataclass(frozen=True)
class Cgroup:
    """One box's groups: a single folder on v2, one a controller on v1."""

    folders: tuple[Path, ...]

    @classmethod
    def make(cls, limits: Limits) -> Cgroup | None:
        """Groups with these limits; None where we may not, or where memory can't be limited."""
        name = f"gymwright-group-{os.getpid()}-{secrets.token_hex(6)}"
        if (MOUNT / "cgroup.controllers").is_file():
            made = cls((MOUNT / name,))
            wanted = {MOUNT / name: _limits_v2(limits)}
        else:
            wanted = {MOUNT / part / name: files for part, files in _limits_v1(limits).items()}
            made = cls(tuple(wanted))
        try:
            for folder, files in wanted.items():
                folder.mkdir()
                for file, value in files.items():
                    (folder / file).write_text(value)
        except OSError:
            made.destroy()
            return None
        with suppress(OSError):  # absent where swap is not accounted for, or not there
            (MOUNT / "memory" / name / "memory.memsw.limit_in_bytes").write_text(str(limits.memory_mib * MIB))
        with suppress(OSError):
            (MOUNT / name / "memory.swap.max").write_text("0")
        return made

    def out_of_memory(self) -> bool:
        """Whether the kernel killed anybody in it for want of memory."""
        for folder in self.folders:
            for counter in ("memory.events", "memory.oom_control"):
                with suppress(OSError, ValueError):
                    for line in (folder / counter).read_text().splitlines():
                        if line.startswith("oom_kill ") and int(line.split()[1]) > 0:
                            return True
        return False

    def destroy(self) -> None:
        """Kill everybody in it, forks that are under way among them, and remove it."""
        give_up = time.monotonic() + 2.0
        while time.monotonic() < give_up:
            members = self._members()
            for pid in members:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            left = []
            for folder in self.folders:
                with suppress(FileNotFoundError):
                    try:
                        folder.rmdir()
                    except OSError:
                        left.append(folder)
            if not left:
                return
            time.sleep(0.002)  # between two looks at who is still dying; kept short, it holds the loop

    def _members(self) -> set[int]:
        found: set[int] = set()
        for folder in self.folders:
            with suppress(OSError):
                found |= {int(pid) for pid in (folder / "cgroup.procs").read_text().split()}
        return found


def _limits_v2(limits: Limits) -> dict[str, str]:
    return {
        "memory.max": str(limits.memory_mib * MIB),
        "pids.max": str(limits.processes),
        "cpu.max": f"{int(limits.cpus * 100_000)} 100000",
    }


def _limits_v1(limits: Limits) -> dict[str, dict[str, str]]:
    return {
        "memory": {"memory.limit_in_bytes": str(limits.memory_mib * MIB)},
        "pids": {"pids.max": str(limits.processes)},
        "cpu": {"cpu.cfs_quota_us": str(int(limits.cpus * 100_000))},
    }
