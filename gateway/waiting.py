"""Waiting: a run that needs the user's word says so and waits for it, however long, also over restarts."""

from __future__ import annotations

from gateway import conversing
from gateway.happenings import Answered, Happening, Reviewed
from gateway.journal import Journal
from gateway.replies import REVIEW, REVIEWED, answered_at, asked_at
from gateway.steady import Steady
from gateway.steps import Ask, Review
from kit.contracts.runs import Run


class Waiting:
    def __init__(self, journal: Journal, steady: Steady) -> None:
        self._journal = journal
        self._steady = steady

    async def wait(self, run: Run, step: Ask | Review) -> Happening:
        match step:
            case Ask(number=number, question=question):
                await self._steady.tell(run.id, asked_at(number), conversing.of_question(question))
                said = await self._journal.when_told(run.id, answered_at(number))
                return Answered(question=question, answer=said.answer)
            case Review(design=design):
                await self._steady.tell(run.id, REVIEW, conversing.to_review(design))
                reviewed = (await self._journal.when_told(run.id, REVIEWED)).reviewed
                assert reviewed is not None
                return Reviewed(design=reviewed.design, diff=reviewed.diff)
