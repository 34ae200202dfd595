"""The coder's door: unpack, hand over, pack."""

from __future__ import annotations

from collections.abc import AsyncIterator

from grpc.aio import ServicerContext

from gymwright.v1.coder_pb2 import RepairEnvRequest, RepairEnvResponse, WriteEnvRequest, WriteEnvResponse
from gymwright.v1.coder_pb2_grpc import CoderServiceServicer
from kit.contracts.wire import from_proto, to_proto
from kit.contracts.wishes import CodeWish, RepairWish
from kit.rpc.speaking import spoken
from services.coder.coding import Coder


class CoderServicer(CoderServiceServicer):
    """It decides nothing."""

    def __init__(self, coder: Coder) -> None:
        self._coder = coder

    async def WriteEnv(
        self, request: WriteEnvRequest, context: ServicerContext[WriteEnvRequest, WriteEnvResponse]
    ) -> AsyncIterator[WriteEnvResponse]:
        wish = from_proto(request, CodeWish)
        async for said in spoken(lambda say: self._coder.write(wish, say)):
            yield to_proto(said, WriteEnvResponse)

    async def RepairEnv(
        self, request: RepairEnvRequest, context: ServicerContext[RepairEnvRequest, RepairEnvResponse]
    ) -> AsyncIterator[RepairEnvResponse]:
        wish = from_proto(request, RepairWish)
        async for said in spoken(lambda say: self._coder.repair(wish, say)):
            yield to_proto(said, RepairEnvResponse)
