"""Performing: one step of a run, by the agent whose work it is, beside the user's wish to cancel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import structlog

from gateway import telling
from gateway.clients import Agents
from gateway.entries import Place, Telling
from gateway.following import follow
from gateway.happenings import Checked, Designed, GaveUp, Happening, Reported, Stopped, Trained, Wrote
from gateway.jobs import Checking, Training
from gateway.journal import Journal
from gateway.loop import Check, Design, End, Repair, Report, Revise, Step, Story, Train, Write
from gateway.steady import Steady
from gymwright.errors import GymwrightError
from kit.artifacts import ArtifactStore
from kit.contracts.runs import CodeWish, DesignWish, JobKey, RepairWish, ReportRequest, RevisionWish, Run

log = structlog.get_logger()

T = TypeVar("T")


async def _last(stream: AsyncIterator[T]) -> T:
    """The answer at the end of what an agent says."""
    said = [one async for one in stream]
    return said[-1]


class Performer:
    def __init__(self, agents: Agents, journal: Journal, artifacts: ArtifactStore, steady: Steady) -> None:
        self._agents = agents
        self._journal = journal
        self._artifacts = artifacts
        self._steady = steady

    async def perform(self, run: Run, step: Step, story: Story) -> Happening:
        """The step's outcome; Stopped as soon as the user cancels, with the box of the step ended."""
        work = asyncio.create_task(self._answer(run, step, story))
        wish = asyncio.create_task(self._journal.cancel_asked(run.id))
        try:
            await asyncio.wait({work, wish}, return_when=asyncio.FIRST_COMPLETED)
            if not wish.done():
                return work.result()
            work.cancel()
            await asyncio.wait({work})
            await self._stop(run, step)
            return Stopped()
        finally:
            work.cancel()
            wish.cancel()

    async def _answer(self, run: Run, step: Step, story: Story) -> Happening:
        """Foreseen failures become a reason that the user can read."""
        try:
            return await self._carry_out(run, step, story)
        except GymwrightError as failure:
            return GaveUp(reason=str(failure))
        except Exception:
            log.exception("step failed", run=run.id, step=step.name)
            return GaveUp(reason=f"The gateway failed at {step.name}; its log has the details.")

    async def _carry_out(self, run: Run, step: Step, story: Story) -> Happening:
        beginning = telling.of_start(step, story)
        if not isinstance(step, Check | Train):
            await self._steady.tell(run.id, Place(step=step.name), beginning)
        match step:
            case Design():
                await self._steady.attempt(
                    run.id, step, lambda: self._artifacts.put_bytes(run.id, "problem.txt", run.problem.encode())
                )
                wish = DesignWish(problem=run.problem)
                said = await self._steady.attempt(run.id, step, lambda: _last(self._agents.design(wish)))
                assert said.design is not None
                return Designed(design=said.design.design, origin=said.design.origin)
            case Revise(design=old, findings=findings):
                revision = RevisionWish(problem=run.problem, design=old, findings=findings)
                said = await self._steady.attempt(run.id, step, lambda: _last(self._agents.revise(revision)))
                assert said.design is not None
                return Designed(design=said.design.design, origin=said.design.origin)
            case Write(design=design):
                code_wish = CodeWish(design=design)
                code = await self._steady.attempt(run.id, step, lambda: _last(self._agents.write(code_wish)))
                assert code.code is not None
                return Wrote(source=code.code.source, origin=code.code.origin)
            case Repair(design=design, drafts=drafts):
                repair = RepairWish(design=design, drafts=drafts)
                code = await self._steady.attempt(run.id, step, lambda: _last(self._agents.repair(repair)))
                assert code.code is not None
                return Wrote(source=code.code.source, origin=code.code.origin)
            case Check():
                return await self._check(run, step, beginning)
            case Train():
                return await self._train(run, step, beginning)
            case Report():
                request = ReportRequest(
                    run_id=run.id,
                    problem=run.problem,
                    options=run.options,
                    design=step.design,
                    design_origin=step.design_origin,
                    drafts=step.drafts,
                    check=step.check,
                    outcome=step.outcome,
                    sandbox=step.sandbox,
                )
                artifacts = await self._steady.attempt(run.id, step, lambda: self._agents.report(request))
                return Reported(artifacts=artifacts)
            case End():
                raise AssertionError("the end is not performed")

    async def _check(self, run: Run, step: Check, beginning: Telling) -> Happening:
        job = Checking(self._agents, step, run.options)
        reached = await self._journal.reached(run.id, step.name)
        last, sandbox = await follow(job, run.id, step, beginning, reached, self._steady)
        assert last.report is not None
        return Checked(report=last.report, sandbox=sandbox)

    async def _train(self, run: Run, step: Train, beginning: Telling) -> Happening:
        job = Training(self._agents, step, run.options)
        reached = await self._journal.reached(run.id, step.name)
        last, sandbox = await follow(job, run.id, step, beginning, reached, self._steady)
        assert last.outcome is not None
        return Trained(outcome=last.outcome, sandbox=sandbox)

    async def _stop(self, run: Run, step: Step) -> None:
        """End the step's box; where its agent can't be told, the lease does it within a minute."""
        if not isinstance(step, Check | Train):
            return
        try:
            attempt, _ = await self._journal.reached(run.id, step.name)
            key = JobKey(run_id=run.id, step=step.name, attempt=attempt)
            await (self._agents.cancel_check(key) if isinstance(step, Check) else self._agents.cancel_training(key))
        except GymwrightError as failure:
            log.warning("box not ended", run=run.id, step=step.name, reason=str(failure))
            await self._steady.note(run.id, step)(f"{failure} Its box ends by itself within a minute.")
