"""The reporter's door: unpack, hand over, pack."""

from __future__ import annotations

from grpc.aio import ServicerContext

from gymwright.v1.outcomes_pb2 import Artifact
from gymwright.v1.reporter_pb2 import WriteReportRequest, WriteReportResponse
from gymwright.v1.reporter_pb2_grpc import ReporterServiceServicer
from kit.contracts.reports import ReportRequest
from kit.contracts.wire import from_proto, to_proto
from services.reporter.reporting import Reporter


class ReporterServicer(ReporterServiceServicer):
    """It decides nothing."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    async def WriteReport(
        self, request: WriteReportRequest, context: ServicerContext[WriteReportRequest, WriteReportResponse]
    ) -> WriteReportResponse:
        written = await self._reporter.write(from_proto(request.report, ReportRequest))
        return WriteReportResponse(artifacts=[to_proto(artifact, Artifact) for artifact in written])
