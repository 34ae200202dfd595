"""The coder's door: unpack, hand over, pack."""

from __future__ import annotations

from grpc.aio import ServicerContext

from gymwright.v1.coder_pb2 import RepairEnvRequest, RepairEnvResponse, WriteEnvRequest, WriteEnvResponse
from gymwright.v1.coder_pb2_grpc import CoderServiceServicer
from kit.contracts.design import EnvDesign
from kit.contracts.runs import Draft
from kit.contracts.wire import from_proto, to_proto
from services.coder.coding import Coder


class CoderServicer(CoderServiceServicer):
    """It decides nothing."""

    def __init__(self, coder: Coder) -> None:
        self._coder = coder

    async def WriteEnv(
        self, request: WriteEnvRequest, context: ServicerContext[WriteEnvRequest, WriteEnvResponse]
    ) -> WriteEnvResponse:
        return to_proto(await self._coder.write(from_proto(request.design, EnvDesign)), WriteEnvResponse)

    async def RepairEnv(
        self, request: RepairEnvRequest, context: ServicerContext[RepairEnvRequest, RepairEnvResponse]
    ) -> RepairEnvResponse:
        drafts = tuple(from_proto(draft, Draft) for draft in request.drafts)
        return to_proto(await self._coder.repair(from_proto(request.design, EnvDesign), drafts), RepairEnvResponse)
