"""Performing: one step of a run, by the agent whose work it is, beside the user's wish to cancel."""

from __future__ import annotations

import asyncio

import structlog

from gateway import telling
from gateway.clients import Agents
from gateway.entries import Place, Standing, Telling
from gateway.following import follow
from gateway.happenings import Checked, GaveUp, Happening, Reported, Stopped, Trained
from gateway.jobs import Checking, Training
from gateway.journal import Journal
from gateway.purse import Purse
from gateway.shelving import PROBLEM
from gateway.steady import Steady
from gateway.steps import Ask, Check, Design, End, Repair, Report, Review, Revise, Step, Train, Write
from gateway.stories import Story
from gateway.thinking import USED, Thinking
from gateway.waiting import Waiting
from gymwright.errors import GymwrightError
from kit.artifacts import ArtifactStore
from kit.contracts.reports import ReportRequest
from kit.contracts.runs import JobKey, Run

log = structlog.get_logger()


class Performer:
    """max_cost_usd: the operator's ceiling for language models in each run; None: there is none."""

    def __init__(
        self,
        agents: Agents,
        journal: Journal,
        artifacts: ArtifactStore,
        steady: Steady,
        max_cost_usd: float | None = None,
    ) -> None:
        self._agents = agents
        self._journal = journal
        self._artifacts = artifacts
        self._steady = steady
        self._thinking = Thinking(agents, journal, artifacts, steady, Purse(journal, max_cost_usd))
        self._waiting = Waiting(journal, steady)

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
        match step:
            case Ask() | Review():
                return await self._waiting.wait(run, step)
            case Check():
                return await self._check(run, step, telling.of_start(step, story))
            case Train():
                return await self._train(run, step, telling.of_start(step, story))
            case Report():
                return await self._report(run, step, telling.of_start(step, story))
            case Design() | Revise() | Write() | Repair():
                await self._steady.tell(run.id, Place(step=step.name), telling.of_start(step, story))
                if isinstance(step, Design):
                    await self._steady.attempt(
                        run.id, step, lambda: self._artifacts.put_bytes(run.id, PROBLEM, run.problem.encode())
                    )
                return await self._thinking.think(run, step)
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

    async def _report(self, run: Run, step: Report, beginning: Telling) -> Happening:
        verdict = step.attempt.outcome.verdict
        standing = Standing(verdict=verdict.kind if verdict is not None else None, design_name=step.attempt.design.name)
        await self._steady.tell(run.id, Place(step=step.name), beginning, standing)
        costs = await self._journal.all_told(run.id, USED)
        request = ReportRequest(
            run_id=run.id,
            problem=run.problem,
            options=run.options,
            design=step.attempt.design,
            design_origin=step.attempt.design_origin,
            drafts=step.attempt.drafts,
            check=step.attempt.check,
            outcome=step.attempt.outcome,
            sandbox=step.sandbox,
            usages=tuple(event.used for event in costs if event.used is not None),
            others=step.others,
            review_diff=step.review_diff,
            note=step.note,
        )
        artifacts = await self._steady.attempt(run.id, step, lambda: self._agents.report(request))
        return Reported(artifacts=artifacts)

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
