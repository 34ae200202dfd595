"""Following: a job of an agent from its start to its last word, through outages on either side."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Protocol, TypeVar

from gateway.journal import Journal
from gateway.ledger import Place, Telling
from gateway.patience import Backoff, Note, Patience
from gymwright.errors import GymwrightError, JobNotFound, ServiceUnavailable, TryAgainLater
from kit.contracts.runs import JobKey

ATTEMPTS_ALLOWED: Final = 5  # a job that its agent loses again and again is given up


class Said(Protocol):
    """One numbered message of a job."""

    @property
    def sequence(self) -> int: ...


S = TypeVar("S", bound=Said)

Start = Callable[[JobKey], Awaitable[str]]
Watch = Callable[[JobKey, int], AsyncIterator[S]]


async def follow(
    journal: Journal,
    key: JobKey,
    start: Start,
    watch: Watch[S],
    tell_of: Callable[[S], Telling | None],
    beginning: Telling,
    patience: Patience,
    note: Note,
) -> tuple[S, str]:
    """The job's last message, and what kind of box it had. key: without its attempt.

    tell_of: the event of a message, None for the last one. A job that its agent doesn't know any more, or
    that could not do its work for want of something, is started again as the next attempt, whose numbers
    begin anew; the journal remembers attempt and number, so that a restarted gateway resumes here.
    """
    backoff = Backoff(patience, note)
    attempt, seen = await journal.reached(key.run_id, key.step)
    while attempt < ATTEMPTS_ALLOWED:
        key = key.model_copy(update={"attempt": attempt})
        await journal.tell(key.run_id, Place(step=key.step, attempt=attempt), beginning)
        try:
            sandbox = await start(key)
            async for said in watch(key, seen):
                backoff.worked()
                telling = tell_of(said)
                if telling is None:
                    return said, sandbox
                place = Place(step=key.step, attempt=attempt, number=said.sequence)
                await journal.tell(key.run_id, place, telling)
                seen = said.sequence
            raise ServiceUnavailable(f"The job {key.step} stopped without an answer.")
        except ServiceUnavailable as failure:  # the job may well go on without us
            await backoff.failed(failure)
        except TryAgainLater as failure:
            await backoff.failed(failure)
            attempt, seen = attempt + 1, 0
        except JobNotFound:
            await note("The service was restarted and lost the job; starting it again.")
            attempt, seen = attempt + 1, 0
    raise GymwrightError(f"The job {key.step} was lost {ATTEMPTS_ALLOWED} times; see the services' logs.")
