"""How a box is shut: every limit and refusal that the engine can apply, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.contracts.records import JsonObject
from kit.sandbox.image import CODE
from kit.sandbox.jobs import Limits

MIB: Final = 2**20
SHM_MIB: Final = 16  # for semaphores; bulk belongs in /job
OWNER_LABEL: Final = "gymwright.owner"
JOB_LABEL: Final = "gymwright.job"
DRIVER_LABEL: Final = "gymwright.driver"
DEADLINE_LABEL: Final = "gymwright.deadline"  # Unix time, whole seconds


@dataclass(frozen=True)
class Shape:
    """The limits that a container is born with; boxes of one shape can stand in for each other."""

    memory_mib: int = 1024
    cpus: float = 1.0
    processes: int = 128
    work_mib: int = 256

    @classmethod
    def of(cls, limits: Limits) -> Shape:
        """The shape that these limits ask for."""
        return cls(limits.memory_mib, limits.cpus, limits.processes, limits.work_mib)


def container(
    image: str, shape: Shape, labels: dict[str, str], preload: str, runtime: str | None, code: Path | None
) -> JsonObject:
    """The engine's description of one box, as POST /containers/create takes it.

    AutoRemove and StdinOnce together leave no box behind when its owner dies: the engine closes the
    box's stdin, the runner ends, and the engine removes what is left.
    """
    return {
        "Image": image,
        "Labels": labels,
        "User": "10001:10001",
        "Env": [f"GYMWRIGHT_BOX_PRELOAD={preload}"],
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "NetworkDisabled": True,
        "HostConfig": {
            "AutoRemove": True,
            "NetworkMode": "none",
            "Runtime": runtime or "",
            "Memory": shape.memory_mib * MIB,
            "MemorySwap": shape.memory_mib * MIB,
            "MemorySwappiness": 0,
            "NanoCpus": int(shape.cpus * 1e9),
            "PidsLimit": shape.processes,
            "ReadonlyRootfs": True,
            "Tmpfs": {
                "/job": f"rw,size={shape.work_mib}m,nr_inodes={shape.work_mib * 64},"
                "nosuid,nodev,noexec,mode=0700,uid=10001,gid=10001"
            },
            "ShmSize": SHM_MIB * MIB,
            "IpcMode": "private",
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Ulimits": [
                {"Name": "nofile", "Soft": 1024, "Hard": 1024},
                {"Name": "core", "Soft": 0, "Hard": 0},
                {"Name": "fsize", "Soft": shape.work_mib * MIB, "Hard": shape.work_mib * MIB},
                {"Name": "memlock", "Soft": 65536, "Hard": 65536},
            ],
            "LogConfig": {"Type": "none", "Config": {}},
            "RestartPolicy": {"Name": "no"},
            "OomKillDisable": False,
            "Binds": [] if code is None else [f"{code / name}:/opt/gymwright/{name}:ro" for name in CODE],
        },
    }
