"""Following: a job of an agent from its start to its last word, through outages on either side."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Final, Generic, Protocol, TypeVar

from gateway.entries import Place, Telling
from gateway.steady import Steady
from gateway.steps import Step
from gymwright.errors import GymwrightError, JobNotFound, ServiceUnavailable, TryAgainLater
from kit.contracts.runs import JobKey

LOSSES_ALLOWED: Final = 5  # a job that its agent loses again and again is given up


class Said(Protocol):
    """One numbered message of a job."""

    @property
    def sequence(self) -> int: ...


S = TypeVar("S", bound=Said)


class Job(Protocol, Generic[S]):
    """What an agent does under a key, and how its messages are told."""

    async def start(self, key: JobKey) -> str:
        """Returns what kind of box is used; starting again changes nothing."""

    def watch(self, key: JobKey, after: int) -> AsyncIterator[S]: ...

    def telling_of(self, said: S) -> Telling | None:
        """The event of a message; None for the last one."""


async def follow(
    job: Job[S], run_id: str, step: Step, beginning: Telling, reached: tuple[int, int], steady: Steady
) -> tuple[S, str]:
    """The job's last message, and what kind of box it had.

    reached: the attempt and the number last told of it; a restarted gateway resumes there.
    """

    async def begin(attempt: int) -> None:
        await steady.tell(run_id, Place(step=step.name, attempt=attempt), beginning)

    async with aclosing(_heard(job, run_id, step, begin, reached, steady)) as heard:
        async for attempt, said, sandbox in heard:
            telling = job.telling_of(said)
            if telling is None:
                return said, sandbox
            await steady.tell(run_id, Place(step=step.name, attempt=attempt, number=said.sequence), telling)
    raise AssertionError("a job is heard to its last message, or raises")


async def _heard(
    job: Job[S],
    run_id: str,
    step: Step,
    begin: Callable[[int], Awaitable[None]],
    reached: tuple[int, int],
    steady: Steady,
) -> AsyncGenerator[tuple[int, S, str], None]:
    """Every message once, with its attempt and the box.

    A job that its agent doesn't know any more, or that could not do its work for want of something, is
    started again as the next attempt, whose numbers begin anew; its old number could be one it never reaches.
    """
    reaching, boxing = steady.backoff(run_id, step), steady.backoff(run_id, step)
    attempt, seen = reached
    losses = 0
    while True:
        key = JobKey(run_id=run_id, step=step.name, attempt=attempt)
        await begin(attempt)
        try:
            sandbox = await job.start(key)
            async for said in job.watch(key, seen):
                reaching.worked()
                seen = said.sequence
                yield attempt, said, sandbox
            raise ServiceUnavailable(f"The job {step.name} stopped without an answer.")
        except ServiceUnavailable as failure:  # the job may well go on without us
            await reaching.failed(failure)
            continue
        except TryAgainLater as failure:  # never forgiven: it may have worked for an hour before it failed
            await boxing.failed(failure)
        except JobNotFound as failure:
            losses += 1
            if losses == LOSSES_ALLOWED:
                raise GymwrightError(f"The service lost the job {losses} times. {failure}") from failure
            await steady.note(run_id, step)("The service was restarted and lost the job; starting it again.")
        attempt, seen = attempt + 1, 0
