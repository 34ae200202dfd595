"""What the runner does to itself and to the work before anybody's code runs: calls of the kernel."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Call prctl; OSError where the kernel refuses."""
    if libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def make_undumpable() -> None:
    """Close /proc/PID/{fd,mem,environ} and ptrace to other processes of the same user.

    Without this, code in the box writes to /proc/1/fd/1 and forges its own result.
    """
    prctl(PR_SET_DUMPABLE, 0)


def become(uid: int) -> None:
    """Leave root for `uid`, for good, with no capability left in any set."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    version_3, own_process = 0x20080522, 0
    head = (ctypes.c_uint32 * 2)(version_3, own_process)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.capset(head, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def prefer_as_oom_victim() -> None:
    """Let the kernel take this process rather than the runner when memory runs out.

    Only a dumpable process may write its own score, so this is the moment between fork and work.
    """
    prctl(PR_SET_DUMPABLE, 1)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def out_of_memory_kills() -> int:
    """How many processes of this box's memory cgroup the kernel has killed; 0 where it can't be seen."""
    for counter in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        with suppress(OSError, ValueError):
            for line in Path(counter).read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    return 0
