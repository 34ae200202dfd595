"""How a box is shut on Kubernetes: the Job that holds it, with every limit and refusal a cluster can apply."""

from __future__ import annotations

import json
import math
import secrets
from typing import Final

from kit.contracts.records import JsonObject
from kit.sandbox.conversation import GRACE_S
from kit.sandbox.jobs import Limits

CONTAINER: Final = "box"
BOX_LABEL: Final = "gymwright.dev/box"  # the Job's own name
DRIVER_LABEL: Final = "gymwright.dev/driver"
DEADLINE_LABEL: Final = "gymwright.dev/deadline"  # Unix time, whole seconds
OWNER_NOTE: Final = "gymwright.dev/owner"
FIRST_UID: Final = 100_000  # each box has a user of its own: processes are counted a user, not a box
UIDS: Final = 900_000
SHM: Final = "16Mi"
KEPT_S: Final = 60  # a Job that ended, and whose owner is gone, is removed by the cluster after this


def box_job(
    name: str, image: str, limits: Limits, labels: dict[str, str], owner: str, runtime_class: str, pending_s: float
) -> JsonObject:
    """The Job of one box, for a namespace that enforces the Pod Security Standard "restricted".

    stdinOnce leaves no box behind when its owner dies: the cluster closes the box's stdin, the runner
    ends, and the Job with it. pending_s: how long the box may wait for a node and its image.
    """
    memory, work = f"{limits.memory_mib}Mi", f"{limits.work_mib}Mi"
    cpu = f"{math.ceil(limits.cpus * 1000)}m"
    user = FIRST_UID + secrets.randbelow(UIDS)
    resources = {"cpu": cpu, "memory": memory, "ephemeral-storage": "64Mi"}
    spec: JsonObject = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "hostname": CONTAINER,
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["127.0.0.1"]},  # there is nobody to ask
        "terminationGracePeriodSeconds": 0,  # the runner answers no signal
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": user,
            "runAsGroup": user,
            "fsGroup": user,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [
            {
                "name": CONTAINER,
                "image": image,
                "imagePullPolicy": "IfNotPresent",
                "stdin": True,
                "stdinOnce": True,
                "env": [{"name": "GYMWRIGHT_BOX_RLIMITS", "value": json.dumps(_rlimits(limits))}],
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                },
                "resources": {"requests": resources, "limits": resources},
                "volumeMounts": [{"name": "job", "mountPath": "/job"}, {"name": "shm", "mountPath": "/dev/shm"}],  # noqa: S108
            }
        ],
        "volumes": [
            {"name": "job", "emptyDir": {"medium": "Memory", "sizeLimit": work}},
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": SHM}},
        ],
    }
    if runtime_class:
        spec["runtimeClassName"] = runtime_class
    marks = {**labels, BOX_LABEL: name, "app.kubernetes.io/part-of": "gymwright"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": marks, "annotations": {OWNER_NOTE: owner}},
        "spec": {
            "backoffLimit": 0,
            "completions": 1,
            "parallelism": 1,
            "activeDeadlineSeconds": math.ceil(pending_s + limits.wall_s + GRACE_S),
            "ttlSecondsAfterFinished": KEPT_S,
            "template": {"metadata": {"labels": marks}, "spec": spec},
        },
    }


def _rlimits(limits: Limits) -> dict[str, int]:
    """What a cluster has no word for; the runner lays it on itself first."""
    return {
        "NPROC": limits.processes,
        "CORE": 0,
        "NOFILE": 1024,
        "FSIZE": limits.work_mib * 2**20,
        "MEMLOCK": 65536,
    }
