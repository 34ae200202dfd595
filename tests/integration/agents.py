"""The five services as fakes on real sockets: they answer from a script and remember what they were asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from google.protobuf.message import Message

from gateway.clients import Addresses
from gymwright.v1 import (
    coder_pb2,
    coder_pb2_grpc,
    designer_pb2,
    designer_pb2_grpc,
    executor_pb2,
    executor_pb2_grpc,
    outcomes_pb2,
    reporter_pb2,
    reporter_pb2_grpc,
    trainer_pb2,
    trainer_pb2_grpc,
)
from kit.contracts.design import EnvDesign, Fit
from kit.contracts.findings import Blame, CheckReport, Finding, Severity
from kit.contracts.outcomes import Artifact, TrainOutcome, Verdict, VerdictKind
from kit.contracts.runs import CodeWritten, DesignWritten, JobKey, Origin, OriginKind, TextWritten, TrainingProgress
from kit.contracts.said import CheckSaid, CodeSaid, DesignSaid, TrainSaid
from kit.contracts.spending import Usage
from kit.contracts.wire import from_proto, to_proto
from kit.jobs.board import JobBoard
from kit.rpc.testing import serving_for_test
from tests.unit.designs import kiosk

ORIGIN = Origin(kind=OriginKind.SCRIPTED, detail="a fake")
LEARNED = TrainOutcome(verdict=Verdict(kind=VerdictKind.LEARNED, reason="It beats the rule by 12 %."))


def error(check: str, blame: Blame = Blame.CODE, line: int | None = None) -> Finding:
    return Finding(check=check, severity=Severity.ERROR, blame=blame, message=f"{check} went wrong", line=line)


class Gate:
    """Holds jobs at a point that the test names."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self) -> None:
        self.reached.set()
        await self.open.wait()


@dataclass
class Script:
    """What the fakes answer; by default everything works at the first try. Sources are named draft 1, draft 2, ..."""

    # The designer's answers in their order, the last again and again: a design, a question or an advice.
    designs: list[EnvDesign | str | Fit] = field(default_factory=lambda: [kiosk()])
    texts: dict[str, list[str]] = field(default_factory=dict)  # by rpc: what is written on the way, piece by piece
    costs: dict[str, list[float]] = field(default_factory=dict)  # by rpc: US dollars of each call of a model
    twins: dict[str, str] = field(default_factory=dict)  # by source
    checks: dict[str, CheckReport] = field(default_factory=dict)  # by source; others pass
    outcomes: dict[str, TrainOutcome] = field(default_factory=dict)  # by source; others learn
    failures: dict[str, list[Exception]] = field(default_factory=dict)  # by rpc, or of a job; raised once each
    breaks: dict[str, list[Exception]] = field(default_factory=dict)  # by rpc: raised once each after text and costs
    gates: dict[str, Gate] = field(default_factory=dict)  # by "check" or "train": after the third message
    asleep: set[str] = field(default_factory=set)  # rpcs that never answer; or "after the text", the coder
    asked: list[str] = field(default_factory=list)  # the rpcs, in order; watches aside
    keys: list[JobKey] = field(default_factory=list)  # of the jobs that really began
    ended: list[JobKey] = field(default_factory=list)  # of the jobs that were cancelled
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)  # set with the first of them
    reports: list[reporter_pb2.ReportRequest] = field(default_factory=list)
    drafts_sent: list[int] = field(default_factory=list)  # to each repair
    wishes: list[Message] = field(default_factory=list)  # the requests to designer and coder
    trainings: list[trainer_pb2.StartTrainingRequest] = field(default_factory=list)
    checked: list[executor_pb2.StartCheckRequest] = field(default_factory=list)

    def ask(self, rpc: str) -> None:
        self.asked.append(rpc)
        self.fail(rpc)

    def fail(self, what: str) -> None:
        if self.failures.get(what):
            raise self.failures[what].pop(0)

    def on_the_way(self, rpc: str, purpose: str) -> list[TextWritten | Usage]:
        """What is said before the answer."""
        pieces = [TextWritten(purpose=purpose, text=text) for text in self.texts.get(rpc, [])]
        costs = [Usage(model="a fake", purpose=purpose, cost_usd=cost) for cost in self.costs.get(rpc, [])]
        return [*pieces, *costs]

    def break_off(self, rpc: str) -> None:
        if self.breaks.get(rpc):
            raise self.breaks[rpc].pop(0)

    def source(self) -> str:
        return f"draft {sum(rpc in ('WriteEnv', 'RepairEnv') for rpc in self.asked)}\n"

    async def hold(self, what: str, key: JobKey) -> None:
        if what in self.gates:
            try:
                await self.gates[what]()
            except asyncio.CancelledError:
                self.ended.append(key)
                self.cancelled.set()
                raise


class FakeDesigner(designer_pb2_grpc.DesignerServiceServicer):
    def __init__(self, script: Script) -> None:
        self.script = script

    async def DesignEnv(self, request, context):
        async for said in self._said("DesignEnv", "design", request):
            yield to_proto(said, designer_pb2.DesignEnvResponse)

    async def ReviseDesign(self, request, context):
        async for said in self._said("ReviseDesign", "revision", request):
            yield to_proto(said, designer_pb2.ReviseDesignResponse)

    async def _said(self, rpc, purpose, request):
        self.script.wishes.append(request)
        self.script.ask(rpc)
        for said in self.script.on_the_way(rpc, purpose):
            yield DesignSaid(text=said) if isinstance(said, TextWritten) else DesignSaid(used=said)
        self.script.break_off(rpc)
        await self.script.hold(rpc, JobKey(run_id="", step=rpc))
        answers = self.script.designs
        match answers.pop(0) if len(answers) > 1 else answers[0]:
            case str() as question:
                yield DesignSaid(question=question)
            case Fit() as fit:
                yield DesignSaid(advice=fit)
            case design:
                yield DesignSaid(design=DesignWritten(design=design, origin=ORIGIN))


class FakeCoder(coder_pb2_grpc.CoderServiceServicer):
    def __init__(self, script: Script) -> None:
        self.script = script

    async def WriteEnv(self, request, context):
        async for said in self._said("WriteEnv", "code", request):
            yield to_proto(said, coder_pb2.WriteEnvResponse)

    async def RepairEnv(self, request, context):
        self.script.drafts_sent.append(len(request.drafts))
        async for said in self._said("RepairEnv", "repair", request):
            yield to_proto(said, coder_pb2.RepairEnvResponse)

    async def _said(self, rpc, purpose, request):
        self.script.wishes.append(request)
        self.script.ask(rpc)
        if rpc in self.script.asleep:
            await asyncio.Event().wait()
        for said in self.script.on_the_way(rpc, purpose):
            yield CodeSaid(text=said) if isinstance(said, TextWritten) else CodeSaid(used=said)
        if "after the text" in self.script.asleep:
            await asyncio.Event().wait()
        self.script.break_off(rpc)
        source = self.script.source()
        twin = self.script.twins.get(source.strip(), "")
        yield CodeSaid(code=CodeWritten(source=source, origin=ORIGIN, twin=twin))


class FakeExecutor(executor_pb2_grpc.ExecutorServiceServicer):
    """Jobs on the board that the real executor uses."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.board: JobBoard[CheckSaid] = JobBoard()

    async def StartCheck(self, request, context):
        self.script.checked.append(request)
        self.script.ask("StartCheck")
        key = from_proto(request.key, JobKey)
        report = self.script.checks.get(request.source.strip(), CheckReport(ran=("static", "episodes"), episodes=12))

        async def work(say) -> None:
            self.script.keys.append(key)
            say(CheckSaid(sequence=0, group="static"))
            say(CheckSaid(sequence=0, group="episodes"))
            for finding in report.findings:
                say(CheckSaid(sequence=0, finding=finding))
            self.script.fail("the check")
            await self.script.hold("check", key)
            say(CheckSaid(sequence=0, report=report))

        self.board.start(key, work)
        return executor_pb2.StartCheckResponse(sandbox="a fake box")

    async def WatchCheck(self, request, context):
        async for sequence, said in self.board.watch(from_proto(request.key, JobKey), request.after_sequence):
            numbered = said.model_copy(update={"sequence": sequence})
            yield to_proto(numbered, executor_pb2.WatchCheckResponse)

    async def CancelCheck(self, request, context):
        self.script.ask("CancelCheck")
        await self.board.cancel(from_proto(request.key, JobKey))
        return executor_pb2.CancelCheckResponse()


class FakeTrainer(trainer_pb2_grpc.TrainerServiceServicer):
    def __init__(self, script: Script) -> None:
        self.script = script
        self.board: JobBoard[TrainSaid] = JobBoard()

    async def StartTraining(self, request, context):
        self.script.trainings.append(request)
        self.script.ask("StartTraining")
        key = from_proto(request.key, JobKey)
        outcome = self.script.outcomes.get(request.source.strip(), LEARNED)

        async def work(say) -> None:
            self.script.keys.append(key)
            for steps in (1000, 2000):
                progress = TrainingProgress(timesteps=steps, total_timesteps=2000, steps_per_s=500.0)
                say(TrainSaid(sequence=0, progress=progress))
            self.script.fail("the training")
            await self.script.hold("train", key)
            say(TrainSaid(sequence=0, note="Measuring the ladder."))
            say(TrainSaid(sequence=0, outcome=outcome))

        self.board.start(key, work)
        return trainer_pb2.StartTrainingResponse(sandbox="a fake box")

    async def WatchTraining(self, request, context):
        async for sequence, said in self.board.watch(from_proto(request.key, JobKey), request.after_sequence):
            numbered = said.model_copy(update={"sequence": sequence})
            yield to_proto(numbered, trainer_pb2.WatchTrainingResponse)

    async def CancelTraining(self, request, context):
        self.script.ask("CancelTraining")
        await self.board.cancel(from_proto(request.key, JobKey))
        return trainer_pb2.CancelTrainingResponse()


class FakeReporter(reporter_pb2_grpc.ReporterServiceServicer):
    def __init__(self, script: Script) -> None:
        self.script = script

    async def WriteReport(self, request, context):
        self.script.ask("WriteReport")
        self.script.reports.append(request.report)
        written = Artifact(name="report.md", size=9, sha256="0" * 64)
        return reporter_pb2.WriteReportResponse(artifacts=[to_proto(written, outcomes_pb2.Artifact)])


@asynccontextmanager
async def agents(script: Script, executor: FakeExecutor | None = None) -> AsyncIterator[Addresses]:
    """All five, each on a free port."""
    executor, trainer = executor or FakeExecutor(script), FakeTrainer(script)
    rooms = {
        "designer": lambda s: designer_pb2_grpc.add_DesignerServiceServicer_to_server(FakeDesigner(script), s),
        "coder": lambda s: coder_pb2_grpc.add_CoderServiceServicer_to_server(FakeCoder(script), s),
        "executor": lambda s: executor_pb2_grpc.add_ExecutorServiceServicer_to_server(executor, s),
        "trainer": lambda s: trainer_pb2_grpc.add_TrainerServiceServicer_to_server(trainer, s),
        "reporter": lambda s: reporter_pb2_grpc.add_ReporterServiceServicer_to_server(FakeReporter(script), s),
    }
    async with AsyncExitStack() as stack:
        addresses = {name: await stack.enter_async_context(serving_for_test(room)) for name, room in rooms.items()}
        try:
            yield Addresses(**addresses)
        finally:
            await executor.board.close()
            await trainer.board.close()


def nobody_there() -> str:
    """An address on loopback where nothing listens."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"
