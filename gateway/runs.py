"""Runs: what the gateway's door offers; each run is started once and then goes on by itself."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Final

import structlog

from gateway import telling
from gateway.checks import Checks
from gateway.durable import Durable
from gateway.entries import Place
from gateway.journal import Journal
from gateway.replies import Replies
from gymwright.errors import RequestWrong
from gymwright.run_ids import checked_run_id, new_run_id
from kit.artifacts import ArtifactStore
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.outcomes import Artifact
from kit.contracts.records import Record
from kit.contracts.runs import Run, RunEvent, RunOptions, RunState
from kit.contracts.said import EnvironmentSaid
from kit.problem_text import problem_text

log = structlog.get_logger()

PAGE: Final = 50
LONGEST_PAGE: Final = 200


class RunPage(Record):
    """next_page_token: empty on the last page."""

    runs: tuple[Run, ...]
    next_page_token: str = ""


class Runs:
    def __init__(self, journal: Journal, durable: Durable, artifacts: ArtifactStore, checks: Checks) -> None:
        self._journal = journal
        self._durable = durable
        self._artifacts = artifacts
        self._checks = checks
        self._replies = Replies(journal)

    async def take_up(self) -> None:
        """Start what was asked for and not begun when the gateway was killed."""
        for run in await self._journal.under_way():
            await self._durable.start(run.id)

    async def start(self, problem: str, options: RunOptions, run_id: str = "") -> Run:
        """Start a run, or return the one that was started under this id before."""
        text = problem_text(problem)
        run_id = checked_run_id(run_id) if run_id else new_run_id(text)
        asked = Run(id=run_id, problem=text, options=options, state=RunState.STARTING, created_at_s=time.time())
        run = await self._journal.open(asked)
        if not run.state.at_rest:
            await self._journal.tell(run.id, Place(step="start"), telling.STARTED)
            await self._durable.start(run.id)
        return run

    async def get(self, run_id: str) -> Run:
        return await self._journal.run(run_id)

    async def list(self, page_size: int, page_token: str) -> RunPage:
        """Newest first."""
        size = page_size or PAGE
        if not 1 <= size <= LONGEST_PAGE:
            raise RequestWrong(f"A page has 1 to {LONGEST_PAGE} runs; {size} were asked for.")
        runs = await self._journal.runs(size + 1, _read_token(page_token))
        more = len(runs) > size
        return RunPage(runs=runs[:size], next_page_token=_token_after(runs[size - 1]) if more else "")

    async def watch(self, run_id: str, after: int) -> AsyncIterator[RunEvent]:
        async for event in self._journal.watch(run_id, after):
            yield event

    def end_watches(self) -> None:
        """Break off every watch, so that none holds up the stop."""
        self._journal.end_watches()

    async def cancel(self, run_id: str) -> Run:
        return await self._journal.ask_cancel(run_id, telling.CANCELLING)

    async def answer(self, run_id: str, answer: str) -> Run:
        """To the designer's question. NotReady, RequestWrong."""
        return await self._replies.answer(run_id, answer)

    async def review(self, run_id: str, edited: EnvDesign | None) -> tuple[Run, tuple[Finding, ...]]:
        """Accept the design or replace it; errors among the findings mean that it was not taken. NotReady."""
        return await self._replies.review(run_id, edited)

    async def check(
        self, source: str, class_name: str, design: EnvDesign | None, seed: int
    ) -> AsyncIterator[EnvironmentSaid]:
        """An environment without a run; closing the iterator ends the check. RequestWrong, TryAgainLater."""
        return await self._checks.check(source, class_name, design, seed)

    async def artifacts(self, run_id: str) -> tuple[Artifact, ...]:
        await self._journal.run(run_id)
        return await self._artifacts.list(run_id)

    async def read(self, run_id: str, name: str, offset: int) -> AsyncIterator[bytes]:
        await self._journal.run(run_id)
        if not name or offset < 0:
            raise RequestWrong("Name an artifact, and skip 0 bytes or more.")
        async for chunk in self._artifacts.read(run_id, name, offset):
            yield chunk


def _token_after(run: Run) -> str:
    return f"{run.created_at_s!r}~{run.id}"


def _read_token(token: str) -> tuple[float, str] | None:
    if not token:
        return None
    time_s, _, run_id = token.partition("~")
    try:
        return float(time_s), checked_run_id(run_id)
    except ValueError:
        raise RequestWrong("The page token is not one of ours; leave it empty to begin with the first page.") from None
