"""Checks: an environment without a run goes through the executor's job; who stops listening ends it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator

import structlog

from gateway.clients import Agents
from gymwright.errors import GymwrightError, JobNotFound, ServiceUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.runs import JobKey
from kit.contracts.said import EnvironmentSaid

log = structlog.get_logger()


class Checks:
    """The executor's errors pass through."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._ending: set[asyncio.Task[None]] = set()

    async def check(
        self, source: str, class_name: str, design: EnvDesign | None, seed: int
    ) -> AsyncIterator[EnvironmentSaid]:
        """Start a check; what is said of it, to the report. Closing the iterator ends the box."""
        key = JobKey(run_id=f"check-{secrets.token_hex(8)}", step="check")
        await self._agents.start_check(key, design, source, seed, class_name)
        return self._heard(key)

    async def close(self) -> None:
        """Wait for the boxes that are being ended."""
        if self._ending:
            await asyncio.wait(self._ending)

    async def _heard(self, key: JobKey) -> AsyncIterator[EnvironmentSaid]:
        reported = False
        try:
            async for said in self._agents.watch_check(key, 0):
                reported = said.report is not None
                yield EnvironmentSaid(group=said.group, finding=said.finding, report=said.report)
        except JobNotFound as lost:
            raise ServiceUnavailable("The executor was restarted and lost the check; start it again.") from lost
        finally:
            if not reported:  # in a task of its own: who stops listening cancels us, again and again
                task = asyncio.create_task(self._end(key))
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)

    async def _end(self, key: JobKey) -> None:
        try:
            await self._agents.cancel_check(key)
        except GymwrightError as failure:
            log.warning("box not ended", check=key.run_id, reason=str(failure))
