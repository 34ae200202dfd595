"""How a box ended, by what the cluster says of its Job and its pod. Pure: no clock, no cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kit.contracts.records import JsonObject
from kit.sandbox.jobs import Ending

SIGNALLED: Final = 128  # an exit code above this stands for a signal
CONDITIONS: Final = ("Complete", "Failed")


@dataclass(frozen=True)
class Fate:
    """exit_code is the runner's, if it has one; why is fit to show; lost: by the machinery, whatever the work did."""

    ending: Ending
    exit_code: int | None = None
    why: str = ""
    lost: bool = False


def fate_of(job: JsonObject | None, pod: JsonObject | None) -> Fate:
    """The fate of a box that did not report its own end. job: None where it was deleted under us."""
    code, reason = ended(pod)
    if reason == "OOMKilled":
        return Fate(Ending.OUT_OF_MEMORY, code)
    if job is None:
        return Fate(Ending.KILLED, why="its Job was deleted")
    kind, why, message = resting(job)
    if kind == "Failed" and why == "DeadlineExceeded":
        return Fate(Ending.OVERRAN, why="the cluster stopped it at its Job's deadline")
    if kind == "Failed" and why == "BackoffLimitExceeded" and code is not None and 0 < code < SIGNALLED:
        return Fate(Ending.EXITED, code)
    if kind == "Complete":  # a runner ends well and says nothing only when its stdin was closed
        return Fate(Ending.KILLED, code, "the connection to it broke off", lost=True)
    status: JsonObject = (pod or {}).get("status") or {}  # type: ignore[assignment]
    if kind and (pod is None or status.get("reason")):  # evicted, preempted, or its node went away
        return Fate(Ending.KILLED, code, str(status.get("message") or "its node went away"), lost=True)
    return Fate(Ending.KILLED, code, message or "the box ended without saying how")


def resting(job: JsonObject) -> tuple[str, str, str]:
    """Type, reason and message of the condition that says the Job is over; empty where it is not."""
    for one in job.get("status", {}).get("conditions") or ():  # type: ignore[attr-defined]
        if one["type"] in CONDITIONS and one["status"] == "True":
            return str(one["type"]), str(one.get("reason") or ""), str(one.get("message") or "")
    return "", "", ""


def running(pod: JsonObject) -> bool:
    """Whether the box's container runs, so that it can be attached to."""
    return any("running" in state for state in _states(pod))


def ended(pod: JsonObject | None) -> tuple[int | None, str]:
    """Exit code and reason of the box's container; None while it has not ended."""
    for state in _states(pod or {}):
        over = state.get("terminated")
        if isinstance(over, dict):
            return int(over["exitCode"]), str(over.get("reason") or "")
    return None, ""


def stuck(pod: JsonObject) -> str:
    """Why the container can't start, where waiting longer won't help; else empty."""
    hopeless = ("ErrImageNeverPull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError")
    for state in _states(pod):
        waiting = state.get("waiting") or {}
        if isinstance(waiting, dict) and waiting.get("reason") in hopeless:
            return f"{waiting['reason']}: {waiting.get('message') or 'no details'}"
    return ""


def waiting_for(pod: JsonObject | None) -> str:
    """What a pod that does not run waits for, in the cluster's words."""
    if pod is None:
        return "a pod, which the namespace's quota or its Pod Security may forbid"
    for state in _states(pod):
        waiting = state.get("waiting")
        if isinstance(waiting, dict):
            return str(waiting.get("message") or waiting.get("reason") or "its container")
    for one in pod.get("status", {}).get("conditions") or ():  # type: ignore[attr-defined]
        if one["type"] == "PodScheduled" and one["status"] == "False":
            return str(one.get("message") or one.get("reason"))
    return "its container"


def _states(pod: JsonObject) -> list[JsonObject]:
    found = pod.get("status", {}).get("containerStatuses") or []  # type: ignore[attr-defined]
    return [one.get("state") or {} for one in found]
