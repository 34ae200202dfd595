"""JobBoard: long work that outlives its watchers, started once for each key, watched by number, cancelled at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Generic, TypeVar

import structlog

from gymwright.errors import GymwrightError, JobNotFound
from kit.contracts.records import Record
from kit.contracts.runs import JobKey

log = structlog.get_logger()

T = TypeVar("T", bound=Record)

LEASE_S: Final = 60.0  # a job that nobody watched or started again for this long is ended
REMEMBERED_S: Final = 3600.0  # how long the outcome of a finished job can still be watched

Say = Callable[[T], None]
Work = Callable[[Say[T]], Awaitable[None]]


class _Job(Generic[T]):
    """One job: what it said so far, who watches, and how it ended."""

    def __init__(self) -> None:
        self.said: list[T] = []
        self.failure: GymwrightError | None = None
        self.over = False
        self.changed = asyncio.Event()
        self.watchers = 0
        self.seen_at = time.monotonic()
        self.task: asyncio.Task[None] | None = None

    def say(self, thing: T) -> None:
        self.said.append(thing)
        self._wake()

    def end(self, failure: GymwrightError | None = None) -> None:
        self.failure, self.over, self.seen_at = failure, True, time.monotonic()
        self._wake()

    def _wake(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class JobBoard(Generic[T]):
    """All jobs of one room. `say`d records are numbered from 1 in each job, without gaps."""

    def __init__(self, lease_s: float = LEASE_S) -> None:
        self._jobs: dict[JobKey, _Job[T]] = {}
        self._lease_s = lease_s
        self._reaper: asyncio.Task[None] | None = None

    def start(self, key: JobKey, work: Work[T]) -> None:
        """Start `work`, or, where this key was started before, only renew its lease.

        A job that failed for want of something (TryAgainLater and the like) is started afresh.
        """
        known = self._jobs.get(key)
        if known is not None and known.failure is None:
            known.seen_at = time.monotonic()
            return
        job: _Job[T] = _Job()
        self._jobs[key] = job
        job.task = asyncio.create_task(self._run(key, job, work))
        if self._reaper is None:
            self._reaper = asyncio.create_task(self._reap())

    async def watch(self, key: JobKey, after: int) -> AsyncIterator[tuple[int, T]]:
        """What the job said after number `after`, then what it says; raises what made it fail, or JobNotFound."""
        job = self._jobs.get(key)
        if job is None:
            raise JobNotFound(f"No job {key.step}/{key.attempt} of run {key.run_id} is known here; start it again.")
        job.watchers += 1
        try:
            while True:
                changed = job.changed
                while after < len(job.said):
                    after += 1
                    yield after, job.said[after - 1]
                if job.failure is not None:
                    raise job.failure
                if job.over:
                    return
                await changed.wait()
        finally:
            job.watchers -= 1
            job.seen_at = time.monotonic()

    async def cancel(self, key: JobKey) -> None:
        """End the job and its box; nothing happens where it is over or unknown."""
        job = self._jobs.pop(key, None)
        if job is not None and job.task is not None:
            job.task.cancel()
            await asyncio.wait({job.task}, timeout=5)

    async def close(self) -> None:
        """End every job."""
        if self._reaper is not None:
            self._reaper.cancel()
        await asyncio.gather(*(self.cancel(key) for key in list(self._jobs)))

    async def _run(self, key: JobKey, job: _Job[T], work: Work[T]) -> None:
        try:
            await work(job.say)
            job.end()
        except GymwrightError as failure:
            job.end(failure)
        except asyncio.CancelledError:
            job.end(JobNotFound(f"The job {key.step}/{key.attempt} of run {key.run_id} was cancelled."))
            raise
        except Exception:
            log.exception("job failed", run=key.run_id, step=key.step, attempt=key.attempt)
            job.end(GymwrightError("An unforeseen failure; the room's log has the details."))

    async def _reap(self) -> None:
        """End what nobody wants any more, and forget what ended long ago."""
        while True:
            await asyncio.sleep(min(self._lease_s / 4, 15))
            now = time.monotonic()
            for key, job in list(self._jobs.items()):
                idle = now - job.seen_at if job.watchers == 0 else 0.0
                if not job.over and idle > self._lease_s:
                    log.warning("lease ran out", run=key.run_id, step=key.step, attempt=key.attempt)
                    await self.cancel(key)
                elif job.over and idle > REMEMBERED_S:
                    del self._jobs[key]
