"""The coder's door, over a real socket: the library's environments, and prepared drafts in order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from gymwright.channels import open_channel
from gymwright.v1.coder_pb2 import RepairEnvRequest, WriteEnvRequest
from gymwright.v1.coder_pb2_grpc import CoderServiceStub, add_CoderServiceServicer_to_server
from gymwright.v1.design_pb2 import EnvDesign
from gymwright.v1.run_pb2 import Draft, OriginKind
from kit.contracts.wire import to_proto
from kit.library import worked_problems
from kit.rpc.testing import serving_for_test
from kit.settings import SettingsWrong
from services.coder.__main__ import CoderSettings, choose_coder
from services.coder.servicer import CoderServicer
from tests.integration.streams import heard

WARD = next(problem for problem in worked_problems() if problem.name == "hospital_shifts")
DESIGN = to_proto(WARD.design, EnvDesign)
REPAIR = Path(__file__).parents[2] / "examples" / "repair"


@asynccontextmanager
async def coder(script: Path | None = None) -> AsyncIterator[CoderServiceStub]:
    door = CoderServicer(choose_coder(CoderSettings(script=script), "Set SOME_KEY."))
    async with (
        serving_for_test(lambda server: add_CoderServiceServicer_to_server(door, server)) as address,
        open_channel(address) as channel,
    ):
        yield CoderServiceStub(channel)


async def test_a_worked_design_is_answered_with_its_environment() -> None:
    async with coder() as stub:
        answer = (await heard(stub.WriteEnv(WriteEnvRequest(design=DESIGN), timeout=10)))[-1].code
    assert answer.source == WARD.source
    assert answer.origin.kind == OriginKind.ORIGIN_KIND_LIBRARY


async def test_a_changed_design_is_refused_with_advice() -> None:
    changed = EnvDesign()
    changed.CopyFrom(DESIGN)
    changed.title = "Another ward"
    async with coder() as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await heard(stub.WriteEnv(WriteEnvRequest(design=changed), timeout=10))
    assert refusal.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "Set SOME_KEY." in (refusal.value.details() or "")


async def test_prepared_drafts_come_in_order_and_say_what_they_are() -> None:
    async with coder(REPAIR) as stub:
        first = (await heard(stub.WriteEnv(WriteEnvRequest(design=DESIGN), timeout=10)))[-1].code
        drafts = [Draft(source=first.source, origin=first.origin)]
        second = (await heard(stub.RepairEnv(RepairEnvRequest(design=DESIGN, drafts=drafts), timeout=10)))[-1].code
        drafts.append(Draft(source=second.source, origin=second.origin))
        third = (await heard(stub.RepairEnv(RepairEnvRequest(design=DESIGN, drafts=drafts), timeout=10)))[-1].code
        drafts.append(Draft(source=third.source, origin=third.origin))
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await heard(stub.RepairEnv(RepairEnvRequest(design=DESIGN, drafts=drafts), timeout=10))
    assert [answer.origin.detail for answer in (first, second, third)] == [
        "prepared in repair, draft_0",
        "prepared in repair, draft_1",
        "prepared in repair, draft_2",
    ]
    assert third.origin.kind == OriginKind.ORIGIN_KIND_SCRIPTED
    assert third.source == WARD.source != second.source
    assert refusal.value.code() is grpc.StatusCode.FAILED_PRECONDITION


def test_a_script_that_does_not_fit_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "draft_0.toml").write_text('base = "nowhere"\nfault = ""')
    with pytest.raises(SettingsWrong, match=r"GYMWRIGHT_CODER_SCRIPT.*nowhere"):
        choose_coder(CoderSettings(script=tmp_path), "")


async def test_a_repair_of_nothing_is_the_callers_mistake() -> None:
    async with coder(REPAIR) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await heard(stub.RepairEnv(RepairEnvRequest(design=DESIGN), timeout=10))
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
