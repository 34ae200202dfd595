"""The designer's door, over a real socket: designs, revisions, and refusals with their statuses."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest

from gymwright.channels import open_channel
from gymwright.errors import NoSuitableProblem
from gymwright.failures import error_of
from gymwright.v1.designer_pb2 import DesignEnvRequest, ReviseDesignRequest
from gymwright.v1.designer_pb2_grpc import DesignerServiceStub, add_DesignerServiceServicer_to_server
from gymwright.v1.run_pb2 import OriginKind
from kit.contracts.design import EnvDesign
from kit.contracts.wire import from_proto
from kit.library import worked_problems
from kit.rpc.testing import serving_for_test
from services.designer.designing import LibraryDesigner
from services.designer.servicer import DesignerServicer
from tests.integration.streams import heard


@pytest.fixture
async def designer() -> AsyncIterator[DesignerServiceStub]:
    door = DesignerServicer(LibraryDesigner("Set SOME_KEY."))
    async with (
        serving_for_test(lambda server: add_DesignerServiceServicer_to_server(door, server)) as address,
        open_channel(address) as channel,
    ):
        yield DesignerServiceStub(channel)


async def test_a_known_problem_comes_back_as_a_design_equal_to_the_digit(designer: DesignerServiceStub) -> None:
    request = DesignEnvRequest(problem="Optimise hospital shift scheduling")
    answer = (await heard(designer.DesignEnv(request, timeout=10)))[-1].design
    ward = next(problem.design for problem in worked_problems() if problem.name == "hospital_shifts")
    assert from_proto(answer.design, EnvDesign).digest == ward.digest
    assert answer.origin.kind == OriginKind.ORIGIN_KIND_LIBRARY
    assert answer.origin.similarity == pytest.approx(1)


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        ("", grpc.StatusCode.INVALID_ARGUMENT),
        ("x" * 1_000_000, grpc.StatusCode.INVALID_ARGUMENT),
        ("\x00\x01\x02", grpc.StatusCode.INVALID_ARGUMENT),
        ("Beat the grandmaster", grpc.StatusCode.FAILED_PRECONDITION),
    ],
)
async def test_a_problem_that_cant_be_designed_is_refused_with_its_status(
    designer: DesignerServiceStub, problem: str, status: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await heard(designer.DesignEnv(DesignEnvRequest(problem=problem), timeout=10))
    assert refusal.value.code() is status


async def test_a_refusal_arrives_as_our_own_error_and_says_what_to_set(designer: DesignerServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await heard(designer.DesignEnv(DesignEnvRequest(problem="Beat the grandmaster"), timeout=10))
    error = error_of(refusal.value, "the designer")
    assert isinstance(error, NoSuitableProblem)
    assert "Set SOME_KEY." in str(error)


async def test_an_empty_design_cant_be_revised(designer: DesignerServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await heard(designer.ReviseDesign(ReviseDesignRequest(problem="Heat"), timeout=10))
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
