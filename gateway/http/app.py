"""The gateway's HTTP door: unpack, hand over, pack; OpenAPI at /openapi.json."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import FastAPI, Header, Query
from fastapi.responses import Response, StreamingResponse

from gateway.http.artifacts import artifact_answer
from gateway.http.errors import tell_errors
from gateway.http.guard import Guard
from gateway.http.page import serve_page
from gateway.http.replying import NDJSON, serve_replies
from gateway.runs import RunPage, Runs
from gymwright.errors import ServiceUnavailable
from kit.contracts.outcomes import Artifact
from kit.contracts.records import Record
from kit.contracts.runs import Run, RunOptions

SSE: Final = "text/event-stream"
Number = Annotated[int, Query(ge=0, lt=2**63)]


class StartRun(Record):
    """run_id: chosen by the client, so that asking twice starts one run; empty: a new one."""

    problem: str
    options: RunOptions = RunOptions()
    run_id: str = ""


class ArtifactList(Record):
    artifacts: tuple[Artifact, ...]


class Health(Record):
    status: str = "SERVING"


def http_app(runs: Runs, token: str | None = None, host: str = "127.0.0.1", encrypted: bool = False) -> FastAPI:
    """No pages of documentation: they would load scripts from elsewhere."""
    app = FastAPI(title="Gymwright", version="1", docs_url=None, redoc_url=None)
    tell_errors(app)
    app.add_middleware(Guard, token=token, host=host, encrypted=encrypted)

    @app.get("/healthz")
    async def health() -> Health:
        return Health()

    @app.post("/v1/runs", status_code=201, response_model_exclude_none=True)
    async def start_run(asked: StartRun) -> Run:
        return await runs.start(asked.problem, asked.options, asked.run_id)

    @app.get("/v1/runs", response_model_exclude_none=True)
    async def list_runs(page_size: Number = 0, page_token: str = "") -> RunPage:
        return await runs.list(page_size, page_token)

    @app.get("/v1/runs/{run_id}", response_model_exclude_none=True)
    async def get_run(run_id: str) -> Run:
        return await runs.get(run_id)

    @app.get("/v1/runs/{run_id}/events", response_class=StreamingResponse)
    async def watch_run(
        run_id: str,
        after: Number = 0,
        accept: Annotated[str, Header()] = "",
        last_event_id: Annotated[int, Header(ge=0, lt=2**63)] = 0,
    ) -> StreamingResponse:
        """Every event after number `after`, one JSON a line; ends when the run rests. Cut before: ask again."""
        await runs.get(run_id)  # an unknown run is a status, not a broken stream
        kind = SSE if SSE in accept else NDJSON
        lines = _lines(runs, run_id, max(after, last_event_id), kind)
        return StreamingResponse(lines, media_type=kind, headers={"Cache-Control": "no-store"})

    @app.post("/v1/runs/{run_id}/cancel", response_model_exclude_none=True)
    async def cancel_run(run_id: str) -> Run:
        return await runs.cancel(run_id)

    serve_replies(app, runs)

    @app.get("/v1/runs/{run_id}/artifacts")
    async def list_artifacts(run_id: str) -> ArtifactList:
        return ArtifactList(artifacts=await runs.artifacts(run_id))

    @app.get("/v1/runs/{run_id}/artifacts/{name:path}", response_class=Response)
    async def read_artifact(
        run_id: str,
        name: str,
        asked: Annotated[str | None, Header(alias="Range")] = None,
        only_if: Annotated[str | None, Header(alias="If-Range")] = None,
    ) -> Response:
        return await artifact_answer(runs, run_id, name, asked, only_if)

    serve_page(app)
    return app


async def _lines(runs: Runs, run_id: str, after: int, kind: str) -> AsyncIterator[str]:
    try:
        async for event in runs.watch(run_id, after):
            absent = {name for name in ("question", "answer") if not getattr(event, name)}
            line = event.model_dump_json(exclude_none=True, exclude=absent)
            yield f"id: {event.sequence}\ndata: {line}\n\n" if kind == SSE else f"{line}\n"
    except ServiceUnavailable:
        await asyncio.Event().wait()  # the stop cuts us off; a proper end would mean that the run rests
