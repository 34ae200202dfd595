"""Journal: every run as it stands and everything that happened in it, numbered without gaps, each thing once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar

import sqlalchemy as sa

from gateway.entries import Place, Standing, Telling
from gateway.ledger import Ledger
from gymwright.errors import NotReady, ServiceUnavailable, StorageUnavailable
from kit.contracts.runs import Run, RunEvent, RunState

T = TypeVar("T")

LOOK_AGAIN_S: Final = 1.0  # what another process wrote is seen this late


class Journal:
    """Every method raises StorageUnavailable where the database can't be used, and RunNotFound for an unknown run."""

    def __init__(self, url: str) -> None:
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="journal")
        self._ledger = Ledger(url)
        self._changed: dict[str, asyncio.Event] = {}
        self._stopping = False

    def close(self) -> None:
        self._threads.shutdown()
        self._ledger.close()

    def end_watches(self) -> None:
        """Break off every watch, now and from now on; they are resumed at the next process."""
        self._stopping = True
        for run_id in tuple(self._changed):
            self._wake(run_id)

    async def open(self, run: Run) -> Run:
        """Keep a new run, or return the one that has this id already."""
        return await self._in_thread(lambda: self._ledger.open(run))

    async def run(self, run_id: str) -> Run:
        return await self._in_thread(lambda: self._ledger.run(run_id))

    async def runs(self, count: int, before: tuple[float, str] | None = None) -> tuple[Run, ...]:
        """The newest, or the newest of those that started before `before` (time, id)."""
        return await self._in_thread(lambda: self._ledger.runs(count, before))

    async def under_way(self) -> tuple[Run, ...]:
        return await self._in_thread(self._ledger.under_way)

    async def tell(self, run_id: str, place: Place, telling: Telling, standing: Standing | None = None) -> None:
        """Number and keep an event, unless it was told at this place before or the run is at rest."""
        await self._in_thread(lambda: self._ledger.tell(run_id, place, telling, standing or Standing()))
        self._wake(run_id)

    async def reached(self, run_id: str, step: str) -> tuple[int, int]:
        """The last attempt of a step and the last number told of it; (0, 0) where nothing was."""
        return await self._in_thread(lambda: self._ledger.reached(run_id, step))

    async def events(self, run_id: str, after: int) -> tuple[RunEvent, ...]:
        """At most BATCH of them, oldest first."""
        return await self._in_thread(lambda: self._ledger.events(run_id, after))

    async def watch(self, run_id: str, after: int) -> AsyncIterator[RunEvent]:
        """Every event after number `after`, then new ones as they happen; ends when the run rests.

        ServiceUnavailable where the gateway stops before that.
        """
        await self.run(run_id)  # so that names of no run are not remembered
        while True:
            if self._stopping:
                raise ServiceUnavailable("The gateway is stopping; ask again with the last number seen.")
            changed = self._change(run_id)
            at_rest = (await self.run(run_id)).state.at_rest
            events = await self.events(run_id, after)
            for event in events:
                yield event
                after = event.sequence
            if not events:
                if at_rest:
                    self._changed.pop(run_id, None)
                    return
                await _until(changed)

    async def ask_cancel(self, run_id: str, telling: Telling) -> Run:
        """Remember that the user wants the run to stop; RunIsOver where it rests."""
        run = await self._in_thread(lambda: self._ledger.ask_cancel(run_id))
        await self.tell(run_id, Place(step="cancel"), telling)
        return run.model_copy(update={"state": RunState.CANCELLING})

    async def reply(
        self, run_id: str, waiting: RunState, place: Place, telling: Telling, standing: Standing | None = None
    ) -> Run:
        """Tell what the user says to a run that waits for it in this state; NotReady where it does not."""
        run = await self._in_thread(lambda: self._ledger.reply(run_id, waiting, place, telling, standing or Standing()))
        if run is None:
            await self.waiting(run_id, waiting)
            raise NotReady(f"Run {run_id} has its reply already.")
        self._wake(run_id)
        return run

    async def waiting(self, run_id: str, state: RunState) -> Run:
        """The run, which waits for the user in this state; NotReady where it does not."""
        run = await self.run(run_id)
        if run.state is not state:
            raise NotReady(f"Run {run_id} is {run.state}, not {state}; it waits for nothing like this.")
        return run

    async def told(self, run_id: str, place: Place) -> RunEvent | None:
        """What was told at this place."""
        return await self._in_thread(lambda: self._ledger.told(run_id, place))

    async def all_told(self, run_id: str, step: str) -> tuple[RunEvent, ...]:
        """All that was told at places of this name, oldest first."""
        return await self._in_thread(lambda: self._ledger.all_told(run_id, step))

    async def when_told(self, run_id: str, place: Place) -> RunEvent:
        """Returns once something is told at this place, by whatever process, and what it is."""
        while True:
            changed = self._change(run_id)
            with suppress(StorageUnavailable):
                if (event := await self.told(run_id, place)) is not None:
                    return event
            await _until(changed)

    async def cancel_asked(self, run_id: str) -> None:
        """Returns once the user wants the run to stop."""
        while True:
            changed = self._change(run_id)
            with suppress(StorageUnavailable):
                if await self._in_thread(lambda: self._ledger.cancel_asked(run_id)):
                    return
            await _until(changed)

    def _change(self, run_id: str) -> asyncio.Event:
        return self._changed.setdefault(run_id, asyncio.Event())

    def _wake(self, run_id: str) -> None:
        changed = self._changed.pop(run_id, None)
        if changed is not None:
            changed.set()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        waiting: Awaitable[T] = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await waiting
        except sa.exc.DBAPIError as problem:
            raise StorageUnavailable(f"The gateway's database can't be used: {problem.orig}.") from problem


async def _until(changed: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(LOOK_AGAIN_S):
            await changed.wait()
