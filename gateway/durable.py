"""Durable: a run as a dbos workflow, so that a killed gateway goes on where it was. The only file that knows dbos."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import structlog
from dbos import DBOS, DBOSPortableJSONSerializer, SetWorkflowID
from sqlalchemy.exc import DBAPIError

from gateway.conducting import Conductor
from gateway.happenings import ANSWERS, Answer
from gateway.steps import Rules
from gateway.tables import driver_url
from gymwright.errors import GymwrightError, StorageUnavailable
from kit.contracts.records import JsonObject

log = structlog.get_logger()

STEPS_VERSION: Final = "2"
"""Raised when the order or the names of a run's steps change: older runs are then left to older gateways."""

WAIT_S: Final = 5.0  # for runs to let go of what they hold when the gateway stops


class Durable:
    """dbos is one for the process: make one Durable, launch it in the running event loop, close it."""

    def __init__(self, database: str, executor_id: str, conductor: Conductor, rules: Rules) -> None:
        self._conductor = conductor
        self._rules = rules
        self._running: set[asyncio.Task[object]] = set()
        DBOS(
            config={
                "name": "gymwright",
                "system_database_url": driver_url(database).render_as_string(hide_password=False),
                "serializer": DBOSPortableJSONSerializer(),  # never pickle
                "application_version": STEPS_VERSION,
                "executor_id": executor_id,
                "log_level": "ERROR",
                "notification_listener_polling_interval_sec": 0.1,  # nothing is sent; how soon it stops is all
            }
        )
        self._workflow = DBOS.workflow(name="gymwright.run", max_recovery_attempts=None)(self._body())

    def launch(self) -> None:
        """Take up every run that was under way when this executor's last process ended."""
        DBOS.launch()

    async def start(self, run_id: str) -> None:
        """Start a run's workflow, or do nothing where it was started before."""
        if await DBOS.get_workflow_status_async(run_id) is not None:
            return
        with SetWorkflowID(run_id):
            await DBOS.start_workflow_async(self._workflow, run_id, self._rules.model_dump(mode="json"))

    async def close(self) -> None:
        """Drop the runs under way; the next launch takes them up. Their boxes go on for as long as their lease."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=WAIT_S)
        DBOS.destroy(destroy_registry=True)

    def _body(self) -> Callable[[str, JsonObject], Awaitable[None]]:
        async def run(run_id: str, rules: JsonObject) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            with structlog.contextvars.bound_contextvars(run=run_id):
                await self._conduct(run_id, Rules.model_validate(rules))

        return run

    async def _conduct(self, run_id: str, rules: Rules) -> None:
        """No run is stuck: what nobody foresaw ends it too."""
        try:
            await self._conductor.conduct(run_id, rules, _once)
        except Exception as failure:
            log.exception("run broke")
            full = isinstance(failure, DBAPIError | StorageUnavailable)
            reason = "The gateway's database could not be written." if full else "The gateway failed."
            while True:
                with suppress(GymwrightError):
                    await self._conductor.fail(run_id, f"{reason} Its log has the details.")
                    return
                await asyncio.sleep(WAIT_S)


async def _once(name: str, effect: Callable[[], Awaitable[Answer]]) -> Answer:
    async def step() -> JsonObject:
        return (await effect()).model_dump(mode="json")

    return ANSWERS.validate_python(await DBOS.run_step_async({"name": name}, step))
