"""The executor's door: unpack, hand over, pack."""

from __future__ import annotations

from collections.abc import AsyncIterator

from grpc.aio import ServicerContext

from gymwright.v1.executor_pb2 import (
    CancelCheckRequest,
    CancelCheckResponse,
    StartCheckRequest,
    StartCheckResponse,
    WatchCheckRequest,
    WatchCheckResponse,
)
from gymwright.v1.executor_pb2_grpc import ExecutorServiceServicer
from kit.contracts.design import EnvDesign
from kit.contracts.runs import JobKey
from kit.contracts.wire import from_proto, to_proto
from services.executor.checks import Checks


class ExecutorServicer(ExecutorServiceServicer):
    """It decides nothing."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks

    async def StartCheck(
        self,
        request: StartCheckRequest,
        context: ServicerContext[StartCheckRequest, StartCheckResponse],
    ) -> StartCheckResponse:
        design = from_proto(request.design, EnvDesign) if request.HasField("design") else None
        key = from_proto(request.key, JobKey)
        self._checks.start(key, request.source, design, class_name=request.class_name, seed=request.seed)
        return StartCheckResponse(sandbox=self._checks.sandbox)

    async def WatchCheck(
        self,
        request: WatchCheckRequest,
        context: ServicerContext[WatchCheckRequest, WatchCheckResponse],
    ) -> AsyncIterator[WatchCheckResponse]:
        async for said in self._checks.watch(from_proto(request.key, JobKey), request.after_sequence):
            yield to_proto(said, WatchCheckResponse)

    async def CancelCheck(
        self,
        request: CancelCheckRequest,
        context: ServicerContext[CancelCheckRequest, CancelCheckResponse],
    ) -> CancelCheckResponse:
        await self._checks.cancel(from_proto(request.key, JobKey))
        return CancelCheckResponse()
