"""The reporter's door, over a real socket: a report goes in as a message and comes out as files."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from gymwright.channels import open_channel
from gymwright.v1.reporter_pb2 import ReportRequest, WriteReportRequest
from gymwright.v1.reporter_pb2_grpc import ReporterServiceStub, add_ReporterServiceServicer_to_server
from kit.artifacts import ArtifactStore
from kit.contracts.wire import to_proto
from kit.rpc.testing import serving_for_test
from services.reporter.reporting import Reporter
from services.reporter.servicer import ReporterServicer
from tests.unit.reports import report


async def test_a_report_is_written_and_its_files_are_named_with_size_and_digest(tmp_path: Path) -> None:
    store = ArtifactStore.at(str(tmp_path))
    door = ReporterServicer(Reporter(store))
    async with (
        serving_for_test(lambda server: add_ReporterServiceServicer_to_server(door, server)) as address,
        open_channel(address) as channel,
    ):
        stub = ReporterServiceStub(channel)
        request = WriteReportRequest(report=to_proto(report(), ReportRequest))
        answer = await stub.WriteReport(request, timeout=60)
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await stub.WriteReport(WriteReportRequest(), timeout=60)
    named = {artifact.name: artifact.size for artifact in answer.artifacts}
    assert named == {artifact.name: artifact.size for artifact in await store.list("ward-7")}
    assert all((tmp_path / "ward-7" / name).stat().st_size == size > 10 for name, size in named.items())
    assert (tmp_path / "ward-7" / "report.md").read_text().startswith("# Hospital shift scheduling")
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
