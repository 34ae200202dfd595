"""The gateway's door: unpack, hand over, pack."""

from __future__ import annotations

from collections.abc import AsyncIterator

from grpc.aio import ServicerContext

from gateway.runs import Runs
from gymwright.v1.findings_pb2 import Finding as FindingMessage
from gymwright.v1.gateway_pb2 import (
    AnswerQuestionRequest,
    AnswerQuestionResponse,
    CancelRunRequest,
    CancelRunResponse,
    CheckEnvironmentRequest,
    CheckEnvironmentResponse,
    GetRunRequest,
    GetRunResponse,
    ListArtifactsRequest,
    ListArtifactsResponse,
    ListRunsRequest,
    ListRunsResponse,
    ReadArtifactRequest,
    ReadArtifactResponse,
    ReviewDesignRequest,
    ReviewDesignResponse,
    StartRunRequest,
    StartRunResponse,
    WatchRunRequest,
    WatchRunResponse,
)
from gymwright.v1.gateway_pb2_grpc import GatewayServiceServicer
from gymwright.v1.outcomes_pb2 import Artifact as ArtifactMessage
from gymwright.v1.run_pb2 import Run as RunMessage
from gymwright.v1.run_pb2 import RunEvent as EventMessage
from kit.contracts.design import EnvDesign
from kit.contracts.runs import RunOptions
from kit.contracts.wire import from_proto, to_proto


class GatewayServicer(GatewayServiceServicer):
    """It decides nothing."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    async def StartRun(
        self, request: StartRunRequest, context: ServicerContext[StartRunRequest, StartRunResponse]
    ) -> StartRunResponse:
        run = await self._runs.start(request.problem, from_proto(request.options, RunOptions), request.run_id)
        return StartRunResponse(run=to_proto(run, RunMessage))

    async def GetRun(
        self, request: GetRunRequest, context: ServicerContext[GetRunRequest, GetRunResponse]
    ) -> GetRunResponse:
        return GetRunResponse(run=to_proto(await self._runs.get(request.run_id), RunMessage))

    async def ListRuns(
        self, request: ListRunsRequest, context: ServicerContext[ListRunsRequest, ListRunsResponse]
    ) -> ListRunsResponse:
        page = await self._runs.list(request.page_size, request.page_token)
        runs = [to_proto(run, RunMessage) for run in page.runs]
        return ListRunsResponse(runs=runs, next_page_token=page.next_page_token)

    async def WatchRun(
        self, request: WatchRunRequest, context: ServicerContext[WatchRunRequest, WatchRunResponse]
    ) -> AsyncIterator[WatchRunResponse]:
        async for event in self._runs.watch(request.run_id, request.after_sequence):
            yield WatchRunResponse(event=to_proto(event, EventMessage))

    async def CancelRun(
        self, request: CancelRunRequest, context: ServicerContext[CancelRunRequest, CancelRunResponse]
    ) -> CancelRunResponse:
        return CancelRunResponse(run=to_proto(await self._runs.cancel(request.run_id), RunMessage))

    async def AnswerQuestion(
        self, request: AnswerQuestionRequest, context: ServicerContext[AnswerQuestionRequest, AnswerQuestionResponse]
    ) -> AnswerQuestionResponse:
        return AnswerQuestionResponse(run=to_proto(await self._runs.answer(request.run_id, request.answer), RunMessage))

    async def ReviewDesign(
        self, request: ReviewDesignRequest, context: ServicerContext[ReviewDesignRequest, ReviewDesignResponse]
    ) -> ReviewDesignResponse:
        design = from_proto(request.design, EnvDesign) if request.HasField("design") else None
        run, findings = await self._runs.review(request.run_id, design)
        said = [to_proto(finding, FindingMessage) for finding in findings]
        return ReviewDesignResponse(run=to_proto(run, RunMessage), findings=said)

    async def CheckEnvironment(
        self,
        request: CheckEnvironmentRequest,
        context: ServicerContext[CheckEnvironmentRequest, CheckEnvironmentResponse],
    ) -> AsyncIterator[CheckEnvironmentResponse]:
        design = from_proto(request.design, EnvDesign) if request.HasField("design") else None
        async for said in await self._runs.check(request.source, request.class_name, design, request.seed):
            yield to_proto(said, CheckEnvironmentResponse)

    async def ListArtifacts(
        self, request: ListArtifactsRequest, context: ServicerContext[ListArtifactsRequest, ListArtifactsResponse]
    ) -> ListArtifactsResponse:
        artifacts = await self._runs.artifacts(request.run_id)
        return ListArtifactsResponse(artifacts=[to_proto(artifact, ArtifactMessage) for artifact in artifacts])

    async def ReadArtifact(
        self, request: ReadArtifactRequest, context: ServicerContext[ReadArtifactRequest, ReadArtifactResponse]
    ) -> AsyncIterator[ReadArtifactResponse]:
        async for chunk in self._runs.read(request.run_id, request.name, request.offset):
            yield ReadArtifactResponse(chunk=chunk)
