"""Steady: tries again what is away for now, and says so in the run's events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from gateway.entries import Place, Standing, Telling
from gateway.journal import Journal
from gateway.patience import Backoff, Note, Patience, patiently
from gateway.steps import Step
from gateway.telling import state_of
from gymwright.errors import StorageUnavailable

log = structlog.get_logger()

T = TypeVar("T")


class Steady:
    def __init__(self, journal: Journal, patience: Patience) -> None:
        self._journal = journal
        self._patience = patience

    async def attempt(self, run_id: str, step: Step, call: Callable[[], Awaitable[T]]) -> T:
        return await patiently(call, self._patience, self.note(run_id, step))

    def backoff(self, run_id: str, step: Step) -> Backoff:
        return Backoff(self._patience, self.note(run_id, step))

    async def tell(self, run_id: str, place: Place, telling: Telling, standing: Standing | None = None) -> None:
        """As the journal does; a database that is away for a moment costs no hour of training."""

        async def only_log(sentence: str) -> None:
            log.warning("journal in the way", run=run_id, reason=sentence)

        await patiently(lambda: self._journal.tell(run_id, place, telling, standing), self._patience, only_log)

    def note(self, run_id: str, step: Step) -> Note:
        """Says that something is in the way, as an event of its own where that can be kept."""

        async def note(sentence: str) -> None:
            log.warning("in the way", run=run_id, step=step.name, reason=sentence)
            said = Telling(state=state_of(step), message=sentence)
            try:
                await self._journal.tell(run_id, Place(step=f"{step.name} notes", number=None), said)
            except StorageUnavailable as failure:
                log.warning("not noted", run=run_id, reason=str(failure))

        return note
