"""What a user says to a run that waits, and checks of an environment without a run, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import Field

from gateway.runs import Runs
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.records import Record
from kit.contracts.runs import Run
from kit.contracts.said import EnvironmentSaid

NDJSON: Final = "application/x-ndjson"


class Reply(Record):
    """To the designer's question."""

    answer: str


class Edited(Record):
    """design: takes the place of the one that waits; absent: that one is accepted as it is."""

    design: EnvDesign | None = None


class Reviewed(Record):
    """findings: the linter's, of an edited design; errors among them mean that the run goes on waiting."""

    run: Run
    findings: tuple[Finding, ...] = ()


class Check(Record):
    """class_name: empty for Environment, or the only Env subclass. design: absent for checks that need none."""

    source: str
    class_name: str = ""
    design: EnvDesign | None = None
    seed: int = Field(default=0, ge=0, lt=2**31)


def serve_replies(app: FastAPI, runs: Runs) -> None:
    @app.post("/v1/runs/{run_id}/answer", response_model_exclude_none=True)
    async def answer_question(run_id: str, said: Reply) -> Run:
        """Answer the designer's question of a run that is ASKING; 409 where it is not."""
        return await runs.answer(run_id, said.answer)

    @app.post("/v1/runs/{run_id}/design", response_model_exclude_none=True)
    async def review_design(run_id: str, said: Edited) -> Reviewed:
        """Accept or replace the design of a run that is REVIEWING; 409 where it is not."""
        run, findings = await runs.review(run_id, said.design)
        return Reviewed(run=run, findings=findings)

    @app.post("/v1/check", response_class=StreamingResponse)
    async def check_environment(asked: Check) -> StreamingResponse:
        """One JSON a line: each group's name, each finding, and last the report. Hanging up ends the check."""
        said = await runs.check(asked.source, asked.class_name, asked.design, asked.seed)
        return StreamingResponse(_lines(said), media_type=NDJSON, headers={"Cache-Control": "no-store"})


async def _lines(said: AsyncIterator[EnvironmentSaid]) -> AsyncIterator[str]:
    async for one in said:
        yield one.model_dump_json(exclude_none=True) + "\n"
