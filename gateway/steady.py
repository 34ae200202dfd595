"""Steady: tries again what is away for now, and says so in the run's events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from gateway.journal import Journal
from gateway.ledger import Place, Telling
from gateway.loop import Step
from gateway.patience import Note, Patience, patiently
from gateway.telling import state_of

log = structlog.get_logger()

T = TypeVar("T")


class Steady:
    def __init__(self, journal: Journal, patience: Patience) -> None:
        self._journal = journal
        self.patience = patience

    async def attempt(self, run_id: str, step: Step, call: Callable[[], Awaitable[T]]) -> T:
        return await patiently(call, self.patience, self.note(run_id, step))

    def note(self, run_id: str, step: Step) -> Note:
        """Says that something is in the way, as an event of its own."""

        async def note(sentence: str) -> None:
            log.warning("in the way", run=run_id, step=step.name, reason=sentence)
            said = Telling(state=state_of(step), message=sentence)
            await self._journal.tell(run_id, Place(step=f"{step.name} notes", number=None), said)

        return note
