"""Agents: the only caller of the five services; every call has a deadline and raises errors of gymwright.errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

from google.protobuf.message import Message
from grpc.aio import UnaryStreamCall

from gymwright.channels import open_channel
from gymwright.errors import ServiceUnavailable
from gymwright.failures import translated
from gymwright.tls import MutualTls
from gymwright.v1.coder_pb2 import RepairEnvRequest, WriteEnvRequest
from gymwright.v1.coder_pb2_grpc import CoderServiceStub
from gymwright.v1.design_pb2 import EnvDesign as DesignMessage
from gymwright.v1.designer_pb2 import DesignEnvRequest, ReviseDesignRequest
from gymwright.v1.designer_pb2_grpc import DesignerServiceStub
from gymwright.v1.executor_pb2 import CancelCheckRequest, StartCheckRequest, WatchCheckRequest
from gymwright.v1.executor_pb2_grpc import ExecutorServiceStub
from gymwright.v1.reporter_pb2 import ReportRequest as ReportMessage
from gymwright.v1.reporter_pb2 import WriteReportRequest
from gymwright.v1.reporter_pb2_grpc import ReporterServiceStub
from gymwright.v1.run_pb2 import JobKey as KeyMessage
from gymwright.v1.run_pb2 import RunOptions as OptionsMessage
from gymwright.v1.trainer_pb2 import CancelTrainingRequest, StartTrainingRequest, WatchTrainingRequest
from gymwright.v1.trainer_pb2_grpc import TrainerServiceStub
from kit.contracts.design import EnvDesign
from kit.contracts.outcomes import Artifact
from kit.contracts.records import Record
from kit.contracts.reports import ReportRequest
from kit.contracts.runs import JobKey, RunOptions
from kit.contracts.said import CheckSaid, CodeSaid, DesignSaid, TrainSaid
from kit.contracts.wire import from_proto, to_proto
from kit.contracts.wishes import CodeWish, DesignWish, RepairWish, RevisionWish

Q = TypeVar("Q")
M = TypeVar("M", bound=Message)


class Addresses(Record):
    """host:port of each agent."""

    designer: str = "127.0.0.1:50051"
    coder: str = "127.0.0.1:50052"
    executor: str = "127.0.0.1:50053"
    trainer: str = "127.0.0.1:50054"
    reporter: str = "127.0.0.1:50055"


class Deadlines(Record):
    """Seconds. A watch that meets its deadline is taken up again; the agents bound their jobs themselves."""

    call_s: float = 10.0  # start, cancel
    think_s: float = 1800.0  # until a design or a draft is there
    silence_s: float = 600.0  # while it is written, until the next word; a model that streams nothing is silent
    report_s: float = 120.0
    watch_s: float = 86_400.0


class Agents:
    """The five services, by what they are asked to do."""

    def __init__(
        self,
        addresses: Addresses,
        token: str | None = None,
        deadlines: Deadlines | None = None,
        tls: MutualTls | None = None,
    ) -> None:
        self._deadlines = deadlines or Deadlines()
        self._names = {name: f"the {name} at {address}" for name, address in addresses.model_dump().items()}
        self._channels = {name: open_channel(address, token, tls) for name, address in addresses.model_dump().items()}
        self._designer = DesignerServiceStub(self._channels["designer"])
        self._coder = CoderServiceStub(self._channels["coder"])
        self._executor = ExecutorServiceStub(self._channels["executor"])
        self._trainer = TrainerServiceStub(self._channels["trainer"])
        self._reporter = ReporterServiceStub(self._channels["reporter"])

    async def close(self) -> None:
        await asyncio.gather(*(channel.close() for channel in self._channels.values()))

    async def design(self, wish: DesignWish) -> AsyncIterator[DesignSaid]:
        call = self._designer.DesignEnv(to_proto(wish, DesignEnvRequest), timeout=self._deadlines.think_s)
        async for said in self._thought("designer", call):
            yield from_proto(said, DesignSaid)

    async def revise(self, wish: RevisionWish) -> AsyncIterator[DesignSaid]:
        call = self._designer.ReviseDesign(to_proto(wish, ReviseDesignRequest), timeout=self._deadlines.think_s)
        async for said in self._thought("designer", call):
            yield from_proto(said, DesignSaid)

    async def write(self, wish: CodeWish) -> AsyncIterator[CodeSaid]:
        call = self._coder.WriteEnv(to_proto(wish, WriteEnvRequest), timeout=self._deadlines.think_s)
        async for said in self._thought("coder", call):
            yield from_proto(said, CodeSaid)

    async def repair(self, wish: RepairWish) -> AsyncIterator[CodeSaid]:
        call = self._coder.RepairEnv(to_proto(wish, RepairEnvRequest), timeout=self._deadlines.think_s)
        async for said in self._thought("coder", call):
            yield from_proto(said, CodeSaid)

    async def _thought(self, room: str, call: UnaryStreamCall[Q, M]) -> AsyncIterator[M]:
        """What is said, one by one; ServiceUnavailable where nothing is for too long."""
        coming = aiter(call)
        try:
            while True:
                with translated(self._names[room]):
                    async with asyncio.timeout(self._deadlines.silence_s):
                        said = await anext(coming)
                yield said
        except StopAsyncIteration:
            return
        except TimeoutError:
            silent = f"{self._names[room].capitalize()} said nothing for {self._deadlines.silence_s:g} s."
            raise ServiceUnavailable(silent) from None
        finally:
            call.cancel()

    async def start_check(
        self, key: JobKey, design: EnvDesign | None, source: str, seed: int, class_name: str = ""
    ) -> str:
        """Returns what kind of box is used."""
        request = StartCheckRequest(
            key=to_proto(key, KeyMessage),
            source=source,
            design=to_proto(design, DesignMessage) if design is not None else None,
            seed=seed,
            class_name=class_name,
        )
        with translated(self._names["executor"]):
            return (await self._executor.StartCheck(request, timeout=self._deadlines.call_s)).sandbox

    async def watch_check(self, key: JobKey, after: int) -> AsyncIterator[CheckSaid]:
        request = WatchCheckRequest(key=to_proto(key, KeyMessage), after_sequence=after)
        with translated(self._names["executor"]):
            async for said in self._executor.WatchCheck(request, timeout=self._deadlines.watch_s):
                yield from_proto(said, CheckSaid)

    async def cancel_check(self, key: JobKey) -> None:
        request = CancelCheckRequest(key=to_proto(key, KeyMessage))
        with translated(self._names["executor"]):
            await self._executor.CancelCheck(request, timeout=self._deadlines.call_s)

    async def start_training(self, key: JobKey, design: EnvDesign, source: str, twin: str, options: RunOptions) -> str:
        """Returns what kind of box is used."""
        request = StartTrainingRequest(
            key=to_proto(key, KeyMessage),
            source=source,
            design=to_proto(design, DesignMessage),
            options=to_proto(options, OptionsMessage),
            twin=twin,
        )
        with translated(self._names["trainer"]):
            return (await self._trainer.StartTraining(request, timeout=self._deadlines.call_s)).sandbox

    async def watch_training(self, key: JobKey, after: int) -> AsyncIterator[TrainSaid]:
        request = WatchTrainingRequest(key=to_proto(key, KeyMessage), after_sequence=after)
        with translated(self._names["trainer"]):
            async for said in self._trainer.WatchTraining(request, timeout=self._deadlines.watch_s):
                yield from_proto(said, TrainSaid)

    async def cancel_training(self, key: JobKey) -> None:
        request = CancelTrainingRequest(key=to_proto(key, KeyMessage))
        with translated(self._names["trainer"]):
            await self._trainer.CancelTraining(request, timeout=self._deadlines.call_s)

    async def report(self, report: ReportRequest) -> tuple[Artifact, ...]:
        request = WriteReportRequest(report=to_proto(report, ReportMessage))
        with translated(self._names["reporter"]):
            answer = await self._reporter.WriteReport(request, timeout=self._deadlines.report_s)
        return tuple(from_proto(artifact, Artifact) for artifact in answer.artifacts)
