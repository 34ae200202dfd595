"""A gateway that plays scripts: real sockets, real messages, no services behind it.

`python -m tests.integration.fake_gateway` serves on a free port, prints it, and plays PACED until stdin closes.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import grpc

from gymwright.errors import ArtifactNotFound, NotReady, ProblemRejected, RunIsOver, RunNotFound, ServiceUnavailable
from gymwright.v1 import design_pb2, findings_pb2, gateway_pb2, outcomes_pb2, run_pb2
from gymwright.v1.gateway_pb2_grpc import GatewayServiceServicer, add_GatewayServiceServicer_to_server
from kit.rpc.testing import serving_for_test
from tests.integration import scripts

AT_REST = (
    run_pb2.RUN_STATE_SUCCEEDED,
    run_pb2.RUN_STATE_FAILED,
    run_pb2.RUN_STATE_CANCELLED,
    run_pb2.RUN_STATE_ADVISED,
)
WAITING = (run_pb2.RUN_STATE_ASKING, run_pb2.RUN_STATE_REVIEWING)
BROKEN = "broken"  # in a design's title: the linter finds an error in it


@dataclass
class Play:
    """How the fake behaves."""

    script: list[run_pb2.RunEvent] = field(default_factory=scripts.with_a_fix)
    files: dict[str, bytes] = field(default_factory=lambda: dict(scripts.FILES))
    announced: dict[str, outcomes_pb2.Artifact] = field(default_factory=dict)  # lies about files
    drop_after: list[int] = field(default_factory=list)  # break the stream once after each of these events
    drop_read_at: list[int] = field(default_factory=list)  # break a download once at each of these bytes
    refuse: list[Exception] = field(default_factory=list)  # raised once each by StartRun
    pause_after: int | None = None  # hold the events here until the run is cancelled
    pace_s: float = 0.0  # between events


class FakeGateway(GatewayServiceServicer):
    """Plays one script for every run that is started."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.runs: dict[str, run_pb2.Run] = {}
        self.starts = 0
        self.watches: list[int] = []
        self.cancelled = asyncio.Event()
        self.waiting, self.replied = asyncio.Event(), asyncio.Event()
        self.answers: list[str] = []
        self.reviews: list[design_pb2.EnvDesign | None] = []  # None: accepted

    async def StartRun(self, request, context):
        self.starts += 1
        if self.play.refuse:
            raise self.play.refuse.pop(0)
        if request.problem == "reject me":
            raise ProblemRejected("The problem is not one.")
        run = self.runs.setdefault(
            request.run_id,
            run_pb2.Run(
                id=request.run_id,
                problem=request.problem,
                options=request.options,
                state=run_pb2.RUN_STATE_STARTING,
                created_at_s=time.time(),
            ),
        )
        return gateway_pb2.StartRunResponse(run=run)

    async def GetRun(self, request, context):
        return gateway_pb2.GetRunResponse(run=self._run(request.run_id))

    async def ListRuns(self, request, context):
        start = int(request.page_token or 0)
        newest = list(reversed(self.runs.values()))
        page = newest[start : start + (request.page_size or 50)]
        more = start + len(page) < len(newest)
        return gateway_pb2.ListRunsResponse(runs=page, next_page_token=str(start + len(page)) if more else "")

    async def WatchRun(self, request, context):
        run = self._run(request.run_id)
        self.watches.append(request.after_sequence)
        for event in self.play.script:
            if event.sequence <= request.after_sequence:
                continue
            if self.play.pause_after is not None and event.sequence > self.play.pause_after:
                await self.cancelled.wait()
            if self.cancelled.is_set():
                yield self._told(run, scripts.cancelled(event.sequence))
                return
            yield self._told(run, event)
            if event.state in WAITING:
                self.waiting.set()
                await self.replied.wait()
            if event.sequence in self.play.drop_after:
                self.play.drop_after.remove(event.sequence)
                raise ServiceUnavailable("The stream broke.")
            if self.play.pace_s:
                await asyncio.sleep(self.play.pace_s)

    async def CancelRun(self, request, context):
        run = self._run(request.run_id)
        if run.state in AT_REST:
            raise RunIsOver(f"The run {run.id} is over.")
        run.state = run_pb2.RUN_STATE_CANCELLING
        self.cancelled.set()
        return gateway_pb2.CancelRunResponse(run=run)

    async def AnswerQuestion(self, request, context):
        run = self._run(request.run_id)
        if run.state != run_pb2.RUN_STATE_ASKING:
            raise NotReady(f"The run {run.id} asks nothing.")
        self.answers.append(request.answer)
        return gateway_pb2.AnswerQuestionResponse(run=self._go_on(run))

    async def ReviewDesign(self, request, context):
        run = self._run(request.run_id)
        if run.state != run_pb2.RUN_STATE_REVIEWING:
            raise NotReady(f"The run {run.id} has no design to review.")
        if request.design.title == BROKEN:
            return gateway_pb2.ReviewDesignResponse(run=run, findings=[scripts.FINDING])
        self.reviews.append(request.design if request.HasField("design") else None)
        return gateway_pb2.ReviewDesignResponse(run=self._go_on(run))

    def _go_on(self, run: run_pb2.Run) -> run_pb2.Run:
        run.state, run.question = run_pb2.RUN_STATE_DESIGNING, ""
        self.replied.set()
        return run

    async def CheckEnvironment(self, request, context):
        yield gateway_pb2.CheckEnvironmentResponse(group="static")
        yield gateway_pb2.CheckEnvironmentResponse(finding=scripts.FINDING)
        report = findings_pb2.CheckReport(findings=[scripts.FINDING], ran=["static"], episodes=len(request.source))
        yield gateway_pb2.CheckEnvironmentResponse(report=report)

    async def ListArtifacts(self, request, context):
        self._run(request.run_id)
        listed = {name: artifact_of(name, data) for name, data in self.play.files.items()} | self.play.announced
        return gateway_pb2.ListArtifactsResponse(artifacts=[listed[name] for name in sorted(listed)])

    async def ReadArtifact(self, request, context):
        if request.name not in self.play.files:
            raise ArtifactNotFound(f"The run has no artifact {request.name}.")
        data = self.play.files[request.name]
        for start in range(request.offset, len(data), 1000):
            yield gateway_pb2.ReadArtifactResponse(chunk=data[start : start + 1000])
            if start in self.play.drop_read_at:
                self.play.drop_read_at.remove(start)
                raise ServiceUnavailable("The stream broke.")

    def _run(self, run_id: str) -> run_pb2.Run:
        if run_id not in self.runs:
            raise RunNotFound(f"No run has the id {run_id}.")
        return self.runs[run_id]

    def _told(self, run: run_pb2.Run, event: run_pb2.RunEvent) -> gateway_pb2.WatchRunResponse:
        run.state = event.state
        run.question = event.question
        run.fixes = max(run.fixes, event.fix_started.fix)
        if event.HasField("trained") and event.trained.HasField("verdict"):
            run.verdict = event.trained.verdict.kind
        if event.state in AT_REST:
            run.reason = event.ended.reason
            run.ended_at_s = time.time()
        told = run_pb2.RunEvent()
        told.CopyFrom(event)
        told.run_id = run.id
        return gateway_pb2.WatchRunResponse(event=told)


def artifact_of(name: str, data: bytes) -> outcomes_pb2.Artifact:
    return outcomes_pb2.Artifact(name=name, size=len(data), sha256=hashlib.sha256(data).hexdigest())


@asynccontextmanager
async def fake_gateway(play: Play | None = None) -> AsyncIterator[tuple[str, FakeGateway]]:
    """A started fake: its address, and the fake itself."""
    fake = FakeGateway(play or Play())

    def register(server: grpc.aio.Server) -> None:
        add_GatewayServiceServicer_to_server(fake, server)

    async with serving_for_test(register, "gymwright.v1.GatewayService") as address:
        yield address, fake


async def main() -> None:
    pace_s = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3
    script = getattr(scripts, sys.argv[2] if len(sys.argv) > 2 else "with_a_fix")()
    async with fake_gateway(Play(script=script, pace_s=pace_s)) as (address, _):
        print(address, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
