"""The designer's door: unpack, hand over, pack."""

from __future__ import annotations

from grpc.aio import ServicerContext

from gymwright.v1.designer_pb2 import (
    DesignEnvRequest,
    DesignEnvResponse,
    ReviseDesignRequest,
    ReviseDesignResponse,
)
from gymwright.v1.designer_pb2_grpc import DesignerServiceServicer
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.wire import from_proto, to_proto
from services.designer.designing import Designer


class DesignerServicer(DesignerServiceServicer):
    """It decides nothing."""

    def __init__(self, designer: Designer) -> None:
        self._designer = designer

    async def DesignEnv(
        self, request: DesignEnvRequest, context: ServicerContext[DesignEnvRequest, DesignEnvResponse]
    ) -> DesignEnvResponse:
        return to_proto(await self._designer.design(request.problem), DesignEnvResponse)

    async def ReviseDesign(
        self, request: ReviseDesignRequest, context: ServicerContext[ReviseDesignRequest, ReviseDesignResponse]
    ) -> ReviseDesignResponse:
        design = from_proto(request.design, EnvDesign)
        findings = tuple(from_proto(finding, Finding) for finding in request.findings)
        return to_proto(await self._designer.revise(request.problem, design, findings), ReviseDesignResponse)
