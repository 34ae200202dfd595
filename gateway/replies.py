"""Replies: what the user says to a run that waits for it; kept as an event, which the run's own step waits for."""

from __future__ import annotations

import difflib
from typing import Final

from gateway import conversing
from gateway.entries import Place, Standing, Telling
from gateway.journal import Journal
from gymwright.errors import NotReady
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.contracts.linting import lint
from kit.contracts.runs import DesignReviewed, DesignWritten, Run, RunState
from kit.problem_text import answer_text

QUESTION: Final = "question"
REVIEW: Final = Place(step="review")
REVIEWED: Final = Place(step="reviewed")
DESIGNED: Final = "designed"


def asked_at(number: int) -> Place:
    """Where a run's question is told; they count from 1."""
    return Place(step=QUESTION, attempt=number)


def answered_at(number: int) -> Place:
    return Place(step="answer", attempt=number)


def designed_at(number: int) -> Place:
    """Where a run's design, or its revision, is told; they count from 1."""
    return Place(step=DESIGNED, attempt=number)


class Replies:
    """NotReady where the run waits for nothing like this; RunNotFound."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def answer(self, run_id: str, answer: str) -> Run:
        """RequestWrong where it is no answer."""
        text = answer_text(answer)
        number, _ = await self._journal.reached(run_id, QUESTION)
        return await self._reply(run_id, RunState.ASKING, answered_at(number), conversing.of_answer(text), Standing())

    async def review(self, run_id: str, edited: EnvDesign | None) -> tuple[Run, tuple[Finding, ...]]:
        """Accept the design (edited: None), or replace it; what the linter says, and errors mean: not taken."""
        findings = lint(edited) if edited is not None else ()
        if any(finding.severity is Severity.ERROR for finding in findings):
            return await self._journal.waiting(run_id, RunState.REVIEWING), findings
        written = await self._written(run_id)
        reviewed = DesignReviewed(design=written.design)
        if edited is not None:
            reviewed = DesignReviewed(design=edited, diff=difference(written.design, edited))
        said, standing = conversing.of_review(reviewed), Standing(design_name=reviewed.design.name)
        return await self._reply(run_id, RunState.REVIEWING, REVIEWED, said, standing), findings

    async def _reply(self, run_id: str, waiting: RunState, place: Place, said: Telling, standing: Standing) -> Run:
        """The same reply once more is none: whoever got no answer to it may repeat it."""
        try:
            return await self._journal.reply(run_id, waiting, place, said, standing)
        except NotReady:
            told = await self._journal.told(run_id, place)
            if told is None or (told.answer, told.reviewed) != (said.answer, said.reviewed):
                raise
            return await self._journal.run(run_id)

    async def _written(self, run_id: str) -> DesignWritten:
        """The run's first design, which is the one that waits for its review."""
        event = await self._journal.told(run_id, designed_at(1))
        if event is None:
            await self._journal.waiting(run_id, RunState.REVIEWING)
        assert event is not None and event.design_written is not None
        return event.design_written


def difference(written: EnvDesign, edited: EnvDesign) -> str:
    """Unified diff of the designs' JSON; empty where they are the same."""
    before, after = (f"{design.model_dump_json(indent=2)}\n".splitlines(keepends=True) for design in (written, edited))
    return "".join(difflib.unified_diff(before, after, "written", "edited"))
