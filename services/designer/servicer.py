"""The designer's door: unpack, hand over, pack."""

from __future__ import annotations

from collections.abc import AsyncIterator

from grpc.aio import ServicerContext

from gymwright.v1.designer_pb2 import (
    DesignEnvRequest,
    DesignEnvResponse,
    ReviseDesignRequest,
    ReviseDesignResponse,
)
from gymwright.v1.designer_pb2_grpc import DesignerServiceServicer
from kit.contracts.wire import from_proto, to_proto
from kit.contracts.wishes import DesignWish, RevisionWish
from kit.rpc.speaking import spoken
from services.designer.designing import Designer


class DesignerServicer(DesignerServiceServicer):
    """It decides nothing."""

    def __init__(self, designer: Designer) -> None:
        self._designer = designer

    async def DesignEnv(
        self, request: DesignEnvRequest, context: ServicerContext[DesignEnvRequest, DesignEnvResponse]
    ) -> AsyncIterator[DesignEnvResponse]:
        wish = from_proto(request, DesignWish)
        async for said in spoken(lambda say: self._designer.design(wish, say)):
            yield to_proto(said, DesignEnvResponse)

    async def ReviseDesign(
        self, request: ReviseDesignRequest, context: ServicerContext[ReviseDesignRequest, ReviseDesignResponse]
    ) -> AsyncIterator[ReviseDesignResponse]:
        wish = from_proto(request, RevisionWish)
        async for said in spoken(lambda say: self._designer.revise(wish, say)):
            yield to_proto(said, ReviseDesignResponse)
