"""Thinking: what the designer and the coder are asked, heard to its end; their texts and costs become events."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator, Callable
from typing import Final, Protocol, TypeVar

from gateway import conversing
from gateway.clients import Agents
from gateway.dictation import Dictation
from gateway.entries import Place
from gateway.happenings import Advised, Designed, Happening, Questioned, Wrote
from gateway.journal import Journal
from gateway.purse import Purse
from gateway.steady import Steady
from gateway.steps import Design, Repair, Revise, Write
from gymwright.errors import ArtifactNotFound, BudgetSpent, ServiceUnavailable
from kit.artifacts import ArtifactStore
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.runs import Run, TextWritten
from kit.contracts.said import CodeSaid, DesignSaid
from kit.contracts.spending import Usage
from kit.contracts.wishes import CodeWish, DesignWish, RepairWish, RevisionWish

USED: Final = "used"
TRACE: Final = "trace.csv"
TRACE_BYTES: Final = 256 * 1024
FIRST_ROWS, LAST_ROWS = 8, 5  # of a traced episode that the designer sees
TRACE_CHARACTERS: Final = 8_000

Thought = Design | Revise | Write | Repair


class Said(Protocol):
    """What an agent says while it thinks: text, a cost, or else its answer."""

    @property
    def text(self) -> TextWritten | None: ...
    @property
    def used(self) -> Usage | None: ...


S = TypeVar("S", bound=Said)


class Thinking:
    """Raises the agents' errors, BudgetSpent with an account of what was spent."""

    def __init__(
        self, agents: Agents, journal: Journal, artifacts: ArtifactStore, steady: Steady, purse: Purse
    ) -> None:
        self._agents = agents
        self._journal = journal
        self._artifacts = artifacts
        self._steady = steady
        self._purse = purse

    async def think(self, run: Run, step: Thought) -> Happening:
        match step:
            case Design(answered=answered):
                wish = DesignWish(problem=run.problem, answered=answered, insist=run.options.insist)
                return _designed(await self._heard(run, step, lambda left: self._agents.design(_within(wish, left))))
            case Revise(design=design, findings=findings):
                shown = (*findings, *await self._trace(run)) if step.verdict is not None else findings
                revision = RevisionWish(problem=run.problem, design=design, findings=shown)
                return _designed(
                    await self._heard(run, step, lambda left: self._agents.revise(_within(revision, left)))
                )
            case Write(design=design):
                draft = CodeWish(design=design)
                return _wrote(await self._heard(run, step, lambda left: self._agents.write(_within(draft, left))))
            case Repair(design=design, drafts=drafts):
                repair = RepairWish(design=design, drafts=drafts)
                return _wrote(await self._heard(run, step, lambda left: self._agents.repair(_within(repair, left))))

    async def _heard(self, run: Run, step: Thought, call: Callable[[float | None], AsyncIterator[S]]) -> S:
        """The answer. What an earlier try cost stays told, and counts against what is left for the next."""

        async def once() -> S:
            return await self._hear(run, step, call(await self._purse.left(run)))

        try:
            return await self._steady.attempt(run.id, step, once)
        except BudgetSpent as spent:
            raise BudgetSpent(f"{spent} {await self._purse.account(run)}") from spent

    async def _hear(self, run: Run, step: Thought, stream: AsyncIterator[S]) -> S:
        place = Place(step=f"{type(step).__name__.lower()} text", attempt=1, number=None)
        told_before = await self._journal.reached(run.id, place.step) != (0, 0)

        async def tell(piece: TextWritten) -> None:
            await self._steady.tell(run.id, place, conversing.of_text(step, piece))

        answer: S | None = None
        async with Dictation(tell, anew=told_before) as dictation:
            async for said in stream:
                if said.text is not None:
                    dictation.write(said.text)
                elif said.used is not None:
                    await dictation.flush()
                    await self._steady.tell(run.id, Place(step=USED, number=None), conversing.of_usage(step, said.used))
                else:
                    answer = said
        if answer is None:
            raise ServiceUnavailable(f"The service stopped before its answer at {step.name}.")
        return answer

    async def _trace(self, run: Run) -> tuple[Finding, ...]:
        """The beginning and the end of the episode that shows the verdict, where one was traced."""
        content = b""
        try:
            async for chunk in self._artifacts.read(run.id, TRACE):
                content += chunk
                if len(content) > TRACE_BYTES:
                    break
        except ArtifactNotFound:
            return ()
        return trace_finding(content.decode("utf-8", "replace"))


def trace_finding(table: str) -> tuple[Finding, ...]:
    """table: CSV with a header, its first column the policy; the first policy's episode is shown."""
    rows = list(csv.reader(table.splitlines()))
    if len(rows) < 2:
        return ()
    header, episode = rows[0], [row for row in rows[1:] if row[:1] == rows[1][:1]]
    shown = episode
    if len(episode) > FIRST_ROWS + LAST_ROWS:
        shown = [*episode[:FIRST_ROWS], ["…"], *episode[-LAST_ROWS:]]
    evidence = "\n".join(",".join(row) for row in (header, *shown))[:TRACE_CHARACTERS]
    return (
        Finding(
            check="verdict.trace",
            severity=Severity.NOTE,
            blame=Blame.DESIGN,
            message=f"An episode of {len(episode)} steps, its beginning and its end, one row a step.",
            evidence=evidence,
        ),
    )


W = TypeVar("W", DesignWish, RevisionWish, CodeWish, RepairWish)


def _within(wish: W, left: float | None) -> W:
    return wish.model_copy(update={"budget_usd": left})


def _designed(said: DesignSaid) -> Happening:
    if said.question is not None:
        return Questioned(question=said.question)
    if said.advice is not None:
        return Advised(fit=said.advice)
    if said.design is None:
        raise ServiceUnavailable("The designer gave no answer.")
    return Designed(design=said.design.design, origin=said.design.origin)


def _wrote(said: CodeSaid) -> Happening:
    if said.code is None:
        raise ServiceUnavailable("The coder gave no answer.")
    return Wrote(source=said.code.source, origin=said.code.origin, twin=said.code.twin)
