"""One Job of a cluster, from its creation to its deletion."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gymwright.errors import SandboxUnavailable
from kit.contracts.records import JsonObject
from kit.sandbox.box_job import BOX_LABEL, CONTAINER
from kit.sandbox.cluster import Cluster, Kind
from kit.sandbox.conversation import GRACE_S, Conversation
from kit.sandbox.endings import Heard, result_of
from kit.sandbox.fate import Fate, ended, fate_of, resting, running, stuck, waiting_for
from kit.sandbox.jobs import Ending, Job, JobResult
from kit.sandbox.pod_stream import PodStream

FATE_S: Final = 15.0  # for the cluster to say how a box ended that did not say it itself


@dataclass
class KubernetesBox:
    """A running pod that we are attached to. It does one job and is destroyed."""

    cluster: Cluster
    name: str  # of its Job
    pod: str
    stream: PodStream

    @classmethod
    async def start(cls, cluster: Cluster, job: JsonObject, timeout_s: float) -> KubernetesBox:
        """Create, wait for the pod, attach; cleans up and raises SandboxUnavailable if one fails."""
        name = str(job["metadata"]["name"])  # type: ignore[index]
        seen: list[JsonObject | None] = [None]
        try:
            await cluster.create(job)
            async with asyncio.timeout(timeout_s):
                pod = await _started(cluster, name, seen)
                return cls(cluster, name, pod, await cluster.attach(pod, CONTAINER))
        except BaseException as problem:
            with suppress(SandboxUnavailable):  # what went wrong first is what counts; the reaper does the rest
                await asyncio.shield(cluster.delete(name))
            if isinstance(problem, TimeoutError):
                raise SandboxUnavailable(
                    f"A box was not running within {timeout_s:g} s; it waits for {waiting_for(seen[-1])}"
                ) from None
            raise

    async def work(self, job: Job, into: Path | None, on_said: Callable[[JsonObject], None]) -> JobResult:
        """Do the job, to its end or its limit. The caller destroys the box, whatever happens."""
        talk, begun = Conversation(job, into, on_said), time.monotonic()
        stopped = await talk.hold_until(self.stream, job.limits.wall_s + GRACE_S)
        wall_s = time.monotonic() - begun
        fate = Fate(Ending.KILLED)
        if not (talk.heard.ended or stopped):
            fate = await self._fate()
            if not self.stream.spoke and fate.ending is Ending.EXITED:
                raise SandboxUnavailable(f"A box ended before it was ready: {await self._complaint()}")
            if fate.lost:
                raise SandboxUnavailable(f"A box was lost: {fate.why}.")
            _fill_in(talk.heard, fate)
        return result_of(talk.heard, stopped, fate.ending is Ending.OUT_OF_MEMORY, wall_s)

    async def destroy(self) -> None:
        """Close first, so that the runner ends at once, then delete the Job and with it the pod."""
        await self.stream.close()
        await self.cluster.delete(self.name)

    async def _fate(self) -> Fate:
        """How the cluster says it ended: the Job's condition, and its pod's last state."""
        selector, job = f"{BOX_LABEL}={self.name}", None
        pods = await self.cluster.found(Kind.PODS, selector)
        with suppress(TimeoutError):
            async with (
                asyncio.timeout(FATE_S),
                aclosing(self.cluster.states(Kind.JOBS, selector)) as states,
            ):
                async for job in states:
                    if job is None or resting(job)[0]:
                        break
        pods = await self.cluster.found(Kind.PODS, selector) or pods
        return fate_of(job, pods[-1] if pods else None)

    async def _complaint(self) -> str:
        words = self.stream.stderr.decode(errors="replace") or await self.cluster.last_words(self.pod, CONTAINER)
        return words.strip()[-1500:] or "without a word"


async def _started(cluster: Cluster, name: str, seen: list[JsonObject | None]) -> str:
    """The name of the Job's pod, once its container runs or has run."""
    selector = f"{BOX_LABEL}={name}"
    async with aclosing(cluster.states(Kind.PODS, selector)) as states:
        async for pod in states:
            seen.append(pod)
            if pod is None:
                continue
            if why := stuck(pod):
                raise SandboxUnavailable(f"A box can't start: {why}")
            found = str(pod["metadata"]["name"])  # type: ignore[index]
            code, reason = ended(pod)
            if code is not None:
                words = await cluster.last_words(found, CONTAINER)
                raise SandboxUnavailable(f"A box ended before it was ready ({reason or code}): {words.strip()[-1500:]}")
            if running(pod):
                return found
    raise AssertionError("states() goes on until we leave")


def _fill_in(heard: Heard, fate: Fate) -> None:
    """What the runner did not live to tell."""
    heard.overran = fate.ending is Ending.OVERRAN
    if fate.ending is Ending.EXITED:
        heard.ended, heard.exit_code = True, fate.exit_code
    heard.trouble = heard.trouble or fate.why
