"""bubblewrap around a local box: its own process, network and mount namespaces, and nothing of ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from kit.sandbox.interpreter import Interpreter
from kit.sandbox.jobs import Limits

MIB: Final = 2**20
SHM_MIB: Final = 16
SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/localtime")
CODE: Final = "/code"
_TMP: Final = "/tmp"  # noqa: S108 a path inside the box
_SHM: Final = "/dev/shm"  # noqa: S108


def works() -> bool:
    """Whether bwrap is here and may make namespaces; many containers and some kernels forbid it."""
    if shutil.which("bwrap") is None:
        return False
    probe = ["bwrap", *_namespaces(), "--ro-bind", "/", "/", "--size", "65536", "--tmpfs", _TMP, "true"]
    try:
        return subprocess.run(probe, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def wrap(command: list[str], interpreter: Interpreter, code: Path, limits: Limits) -> list[str]:
    """The command, wrapped: it sees the system's programs, the interpreter and our code, all read-only."""
    work = ["--perms", "1777", "--size", str(limits.work_mib * MIB), "--tmpfs", "/job"]
    mounts = [*work, "--symlink", "job/tmp", _TMP]
    if any(folder.is_relative_to(_TMP) for folder in interpreter.folders):
        mounts = [*work, "--perms", "1777", "--size", str(MIB), "--tmpfs", _TMP]  # the interpreter's folder goes there
    for name in SYSTEM:
        place = Path(name)
        if place.is_symlink():
            mounts += ["--symlink", str(place.readlink()), name]
        elif place.exists():
            mounts += ["--ro-bind", name, name]
    for folder in interpreter.folders:
        if not folder.is_relative_to("/usr"):
            # bwrap would copy a closed home's mode, and the box's user could not pass through it.
            for above in [*reversed(folder.parents)][1:]:
                mounts += ["--perms", "0755", "--dir", str(above)]
            mounts += ["--ro-bind", str(folder), str(folder)]
    return [
        "bwrap", *_namespaces(),
        *mounts,
        "--ro-bind", str(code), CODE,
        "--proc", "/proc",
        "--dev", "/dev",
        "--perms", "1777", "--size", str(SHM_MIB * MIB), "--tmpfs", _SHM,
        "--remount-ro", "/dev",
        "--remount-ro", "/",
        "--chdir", "/job",
        *command,
    ]  # fmt: skip


def _namespaces() -> list[str]:
    shared = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    shared += ["--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "box"]
    if os.geteuid() != 0:
        return ["--unshare-user", *shared]
    # As root no user namespace is needed; the runner leaves root with what is left, and then has nothing.
    return [*shared, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
