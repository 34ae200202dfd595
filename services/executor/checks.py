"""Checks as jobs: started once for each key, watched by number, cancelled at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from gymwright.errors import PayloadTooLarge, RequestWrong
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.runs import JobKey
from kit.contracts.said import CheckSaid
from kit.jobs import JobBoard, Say
from services.executor.checking import Checking

MAX_SOURCE_BYTES: Final = 256 * 1024


class Checks:
    """Every check under way in this executor. sandbox: what kind of box it uses, in a sentence."""

    def __init__(self, checking: Checking, sandbox: str) -> None:
        self._checking = checking
        self._board: JobBoard[CheckSaid] = JobBoard()
        self.sandbox = sandbox

    def start(self, key: JobKey, source: str, design: EnvDesign | None, *, class_name: str = "", seed: int = 0) -> None:
        """Start the check of this key, unless it was started before."""
        if not source.strip():
            raise RequestWrong("There is no source to check.")
        if len(source.encode()) > MAX_SOURCE_BYTES:
            raise PayloadTooLarge(f"The source is over {MAX_SOURCE_BYTES // 1024} KiB.")

        async def work(say: Say[CheckSaid]) -> None:
            def found(finding: Finding) -> None:
                say(CheckSaid(finding=finding))

            report = await self._checking.check(
                source,
                design,
                class_name=class_name or None,
                seed=seed,
                owner=key.run_id,
                on_finding=found,
                on_group=lambda group: say(CheckSaid(group=group)),
            )
            say(CheckSaid(report=report))

        self._board.start(key, work)

    async def watch(self, key: JobKey, after: int) -> AsyncIterator[CheckSaid]:
        """What the check said after number `after`; ends after the report."""
        async for sequence, said in self._board.watch(key, after):
            yield said.model_copy(update={"sequence": sequence})

    async def cancel(self, key: JobKey) -> None:
        await self._board.cancel(key)

    async def close(self) -> None:
        await self._board.close()
