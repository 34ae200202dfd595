"""The trainer's door: unpack, hand over, pack."""

from __future__ import annotations

from collections.abc import AsyncIterator

from grpc.aio import ServicerContext

from gymwright.v1.trainer_pb2 import (
    CancelTrainingRequest,
    CancelTrainingResponse,
    StartTrainingRequest,
    StartTrainingResponse,
    WatchTrainingRequest,
    WatchTrainingResponse,
)
from gymwright.v1.trainer_pb2_grpc import TrainerServiceServicer
from kit.contracts.design import EnvDesign
from kit.contracts.runs import JobKey, RunOptions
from kit.contracts.wire import from_proto, to_proto
from services.trainer.trainings import Trainings


class TrainerServicer(TrainerServiceServicer):
    """It decides nothing."""

    def __init__(self, trainings: Trainings) -> None:
        self._trainings = trainings

    async def StartTraining(
        self,
        request: StartTrainingRequest,
        context: ServicerContext[StartTrainingRequest, StartTrainingResponse],
    ) -> StartTrainingResponse:
        design, options = from_proto(request.design, EnvDesign), from_proto(request.options, RunOptions)
        self._trainings.start(from_proto(request.key, JobKey), request.source, design, options, request.twin)
        return StartTrainingResponse(sandbox=self._trainings.sandbox)

    async def WatchTraining(
        self,
        request: WatchTrainingRequest,
        context: ServicerContext[WatchTrainingRequest, WatchTrainingResponse],
    ) -> AsyncIterator[WatchTrainingResponse]:
        async for said in self._trainings.watch(from_proto(request.key, JobKey), request.after_sequence):
            yield to_proto(said, WatchTrainingResponse)

    async def CancelTraining(
        self,
        request: CancelTrainingRequest,
        context: ServicerContext[CancelTrainingRequest, CancelTrainingResponse],
    ) -> CancelTrainingResponse:
        await self._trainings.cancel(from_proto(request.key, JobKey))
        return CancelTrainingResponse()
