"""Conducting: carries a run from step to step as the loop decides, each step and each telling once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from gateway import telling
from gateway.entries import Place
from gateway.happenings import Answer, Designed, Done, GaveUp, Happening, Wrote
from gateway.journal import Journal
from gateway.loop import End, Rules, Step, Story, next_step, story_of
from gateway.performing import Performer
from gateway.replies import designed_at
from gateway.steady import Steady
from gymwright.errors import GymwrightError, StorageUnavailable
from kit.artifacts import ArtifactStore
from kit.contracts.runs import Run, RunState

log = structlog.get_logger()


class Once(Protocol):
    """Carries out an effect once for each name in a run, and remembers its answer across restarts."""

    async def __call__(self, name: str, effect: Callable[[], Awaitable[Answer]]) -> Answer: ...


class Conductor:
    """One for the process; it holds no state of a run but what the journal holds."""

    def __init__(self, performer: Performer, journal: Journal, artifacts: ArtifactStore, steady: Steady) -> None:
        self._performer = performer
        self._journal = journal
        self._artifacts = artifacts
        self._steady = steady

    async def conduct(self, run_id: str, rules: Rules, once: Once) -> None:
        """A run from wherever it stands to its rest. Repeating it from the beginning repeats no finished step."""
        run = await self._journal.run(run_id)
        if run.state.at_rest:
            return
        history: tuple[Happening, ...] = ()
        while not isinstance(step := next_step(history, rules), End):
            history = (*history, await self._take(run, step, history, once))
        end, story = step, story_of(history)
        await once(end.name, lambda: self._end(run, end, story))

    async def fail(self, run_id: str, reason: str) -> None:
        """The run's end where the loop itself broke."""
        await self._steady.tell(run_id, Place(step="end"), telling.of_end(End(RunState.FAILED, reason), None, ()))

    async def _take(self, run: Run, step: Step, history: tuple[Happening, ...], once: Once) -> Happening:
        """One step and, when its outcome is safe, what is said of it."""
        happening = await once(step.name, lambda: self._performer.perform(run, step, story_of(history)))
        assert not isinstance(happening, Done)
        kept = await once(f"keep {step.name}", lambda: self._keep(run, step, happening, (*history, happening)))
        return kept if isinstance(kept, GaveUp) else happening

    async def _keep(self, run: Run, step: Step, happening: Happening, history: tuple[Happening, ...]) -> Answer:
        """Store what came out of a step and tell it."""
        try:
            if isinstance(happening, Designed):
                await self._store(run, step, "design.json", happening.design.model_dump_json(indent=2) + "\n")
            elif isinstance(happening, Wrote):
                await self._store(run, step, "environment.py", happening.source)
            told = telling.of_happening(happening, story_of(history))
            if told is not None:
                place = Place(step=f"{step.name} came out")
                if isinstance(happening, Designed):
                    place = designed_at(sum(isinstance(each, Designed) for each in history))
                await self._steady.tell(run.id, place, *told)
        except GymwrightError as failure:
            return GaveUp(reason=str(failure))
        return Done()

    async def _end(self, run: Run, end: End, story: Story) -> Answer:
        verdict = story.trained.outcome.verdict if story.trained is not None else None
        try:
            artifacts = await self._artifacts.list(run.id)
        except StorageUnavailable as failure:
            artifacts = ()
            log.warning("artifacts not listed", run=run.id, reason=str(failure))
        await self._steady.tell(run.id, Place(step="end"), telling.of_end(end, verdict, artifacts))
        return Done()

    async def _store(self, run: Run, step: Step, name: str, text: str) -> None:
        await self._steady.attempt(run.id, step, lambda: self._artifacts.put_bytes(run.id, name, text.encode()))
