"""Conducting: carries a run from step to step as the loop decides, each step and each telling once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

import structlog

from gateway import telling
from gateway.attempts import folder_of
from gateway.entries import Place
from gateway.happenings import Answer, Designed, Done, GaveUp, Happening, Reviewed, Wrote
from gateway.journal import Journal
from gateway.loop import next_step
from gateway.performing import Performer
from gateway.replies import designed_at
from gateway.shelving import REVIEW_DIFF, Shelf
from gateway.steady import Steady
from gateway.steps import End, Report, Rules, Step
from gateway.stories import story_of
from gymwright.errors import GymwrightError, StorageUnavailable
from kit.artifacts import ArtifactStore
from kit.contracts.outcomes import Verdict
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
        self._shelf = Shelf(artifacts)

    async def conduct(self, run_id: str, rules: Rules, once: Once) -> None:
        """A run from wherever it stands to its rest. Repeating it from the beginning repeats no finished step."""
        run = await self._journal.run(run_id)
        if run.state.at_rest:
            return
        history: tuple[Happening, ...] = ()
        verdict = None
        while not isinstance(step := next_step(history, rules, run.options), End):
            verdict = step.attempt.outcome.verdict if isinstance(step, Report) else verdict
            history = (*history, await self._take(run, step, history, once))
        end = step
        await once(end.name, lambda: self._end(run, end, verdict))

    async def fail(self, run_id: str, reason: str) -> None:
        """The run's end where the loop itself broke."""
        await self._steady.tell(run_id, Place(step="end"), telling.of_end(End(RunState.FAILED, reason), None, ()))

    async def _take(self, run: Run, step: Step, history: tuple[Happening, ...], once: Once) -> Happening:
        """One step and, when its outcome is safe, what is said of it."""
        if isinstance(step, Report) and isinstance(failed := await self._lay_out(run, step, once), GaveUp):
            return failed
        before = story_of(history)
        happening = await once(step.name, lambda: self._performer.perform(run, step, before))
        assert not isinstance(happening, Done)
        begun = len(story_of((*history, happening)).attempts)
        if begun > len(before.attempts) and isinstance(failed := await self._aside(run, step, begun, once), GaveUp):
            return failed
        kept = await once(f"keep {step.name}", lambda: self._keep(run, step, happening, (*history, happening)))
        return kept if isinstance(kept, GaveUp) else happening

    async def _lay_out(self, run: Run, step: Report, once: Once) -> Answer:
        """The files of the attempt that counts lie at the top, those of the latest in a folder where it does not."""
        if step.number == step.latest:
            return Done()
        aside = await self._aside(run, step, step.latest, once)
        if isinstance(aside, GaveUp):
            return aside
        back = partial(self._shelf.bring_back, run.id, step.number)
        return await once(f"back {folder_of(step.number)}", lambda: self._stored(run, step, back))

    async def _aside(self, run: Run, step: Step, number: int, once: Once) -> Answer:
        """Nothing of an attempt is overwritten by the next, or by the one that is brought back."""
        aside = partial(self._shelf.set_aside, run.id, number)
        return await once(f"aside {folder_of(number)}", lambda: self._stored(run, step, aside))

    async def _keep(self, run: Run, step: Step, happening: Happening, history: tuple[Happening, ...]) -> Answer:
        """Store what came out of a step and tell it."""
        for name, text in _files_of(happening).items():
            put = partial(self._artifacts.put_bytes, run.id, name, text.encode())
            stored = await self._stored(run, step, put)
            if isinstance(stored, GaveUp):
                return stored
        told = telling.of_happening(happening, story_of(history))
        if told is not None:
            place = Place(step=f"{step.name} came out")
            if isinstance(happening, Designed):
                place = designed_at(sum(isinstance(each, Designed) for each in history))
            try:
                await self._steady.tell(run.id, place, *told)
            except GymwrightError as failure:
                return GaveUp(reason=str(failure))
        return Done()

    async def _end(self, run: Run, end: End, verdict: Verdict | None) -> Answer:
        try:
            artifacts = await self._artifacts.list(run.id)
        except StorageUnavailable as failure:
            artifacts = ()
            log.warning("artifacts not listed", run=run.id, reason=str(failure))
        await self._steady.tell(run.id, Place(step="end"), telling.of_end(end, verdict, artifacts))
        return Done()

    async def _stored(self, run: Run, step: Step, store: Callable[[], Awaitable[object]]) -> Answer:
        try:
            await self._steady.attempt(run.id, step, store)
        except GymwrightError as failure:
            return GaveUp(reason=str(failure))
        return Done()


def _files_of(happening: Happening) -> dict[str, str]:
    """What of it is kept in the artifact store, by name."""
    match happening:
        case Designed(design=design):
            return {"design.json": design.model_dump_json(indent=2) + "\n"}
        case Reviewed(design=design, diff=diff) if diff:
            return {"design.json": design.model_dump_json(indent=2) + "\n", REVIEW_DIFF: diff}
        case Wrote(source=source, twin=twin):
            return {"environment.py": source, **({"twin.py": twin} if twin else {})}
        case _:
            return {}
