"""A design, its environment and a repair through the designer's and the coder's doors, by each vendor's API."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from pydantic import SecretStr

from gymwright.channels import open_channel
from gymwright.v1.coder_pb2 import RepairEnvRequest, WriteEnvRequest
from gymwright.v1.coder_pb2_grpc import CoderServiceStub, add_CoderServiceServicer_to_server
from gymwright.v1.designer_pb2 import DesignEnvRequest
from gymwright.v1.designer_pb2_grpc import DesignerServiceStub, add_DesignerServiceServicer_to_server
from gymwright.v1.findings_pb2 import Finding as FindingMessage
from gymwright.v1.run_pb2 import Draft, OriginKind
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.wire import to_proto
from kit.contracts.wishes import DesignWish
from kit.library import worked_problems
from kit.llm import ModelSettings
from kit.prose import fenced
from kit.rpc.testing import serving_for_test
from services.coder.__main__ import CoderSettings, choose_coder
from services.coder.servicer import CoderServicer
from services.designer.__main__ import DesignerSettings, choose_designer
from services.designer.servicer import DesignerServicer
from tests.integration.streams import heard
from tests.integration.vendors import Turn, vendors

WARD = next(problem for problem in worked_problems() if problem.name == "hospital_shifts")
KEY = "sk-marker-0815-secret"
FAULT = Finding(check="x", severity=Severity.ERROR, blame=Blame.CODE, message="beds leak")


def models(api: str, url: str, record: Path | None = None) -> ModelSettings:
    if api == "anthropic":
        return ModelSettings(anthropic_key=SecretStr(KEY), anthropic_url=url, record=record)
    return ModelSettings(openai_key=SecretStr(KEY), openai_url=f"{url}/v1", name="local", record=record)


def _texts(folder: Path) -> list[str]:
    return [path.read_text() for path in folder.iterdir()]


@pytest.mark.parametrize("api", ["anthropic", "responses", "chat"])
async def test_a_design_its_environment_and_a_repair_come_from_the_model(
    api: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    design = f"Here it is:\n{WARD.design.model_dump_json()}\nI hope {{it}} helps."
    turns = [
        Turn('{"name": 3}'),
        Turn(design),
        Turn(fenced(WARD.source + f"# {KEY}\n", "python")),
        Turn(fenced(WARD.source, "python")),
    ]
    async with vendors(*turns, without=("/v1/responses",) if api == "chat" else ()) as house:
        settings = models(api, house.url, tmp_path)
        designer = DesignerServicer(choose_designer(DesignerSettings(), "", settings))
        coder = CoderServicer(choose_coder(CoderSettings(), "", settings))
        async with (
            serving_for_test(lambda server: add_DesignerServiceServicer_to_server(designer, server)) as first,
            serving_for_test(lambda server: add_CoderServiceServicer_to_server(coder, server)) as second,
            open_channel(first) as designing,
            open_channel(second) as coding,
        ):
            request = DesignEnvRequest(problem="Staff it")
            parts = await heard(DesignerServiceStub(designing).DesignEnv(request, timeout=30))
            designed = parts[-1].design
            stub = CoderServiceStub(coding)
            wrote = (await heard(stub.WriteEnv(WriteEnvRequest(design=designed.design), timeout=30)))[-1].code
            draft = Draft(source=wrote.source, origin=wrote.origin, findings=[to_proto(FAULT, FindingMessage)])
            repair = RepairEnvRequest(design=designed.design, drafts=[draft])
            mended = (await heard(stub.RepairEnv(repair, timeout=30)))[-1].code
    assert mended.source == WARD.source
    assert designed.origin.kind == OriginKind.ORIGIN_KIND_MODEL
    assert "design: 2 calls, 30 + 14 tokens" in designed.origin.detail
    assert "prompts " in mended.origin.detail
    assert [one.used.input_tokens for one in parts if one.HasField("used")] == [15, 15]
    assert design in "".join(one.text.text for one in parts if one.HasField("text"))
    assert "beds leak" in str(house.requests[-1][1])
    kept = _texts(tmp_path)
    said = capfd.readouterr()
    assert len(kept) == 4
    assert KEY not in "".join(kept) + said.out + said.err + designed.origin.detail


@pytest.mark.parametrize("api", ["anthropic", "responses", "chat"])
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Turn("I would rather talk about it."), "Invalid JSON"),
        (Turn('{"name": "ward"}'), "Field required"),
        (Turn('{"name": "wa', "length"), "cut off"),
    ],
    ids=["prose", "wrong schema", "length"],
)
async def test_what_is_wrong_with_an_answer_goes_back_in_the_next_request(api: str, fault: Turn, told: str) -> None:
    turns = (fault, Turn(WARD.design.model_dump_json()))
    async with vendors(*turns, without=("/v1/responses",) if api == "chat" else ()) as house:
        designer = choose_designer(DesignerSettings(), "", models(api, house.url))
        written = await designer.design(DesignWish(problem="Staff it"), lambda said: None)
    assert written.design is not None
    assert written.design.design == WARD.design
    assert told in str(house.requests[-1][1])


@pytest.mark.parametrize("api", ["anthropic", "responses", "chat"])
async def test_a_wrong_key_is_no_state_that_passes_by_itself(api: str) -> None:
    fault = Turn(status=401, said=f"no such key: {KEY}")
    async with vendors(fault, without=("/v1/responses",) if api == "chat" else ()) as house:
        door = DesignerServicer(choose_designer(DesignerSettings(), "", models(api, house.url)))
        async with (
            serving_for_test(lambda server: add_DesignerServiceServicer_to_server(door, server)) as address,
            open_channel(address) as channel,
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await heard(DesignerServiceStub(channel).DesignEnv(DesignEnvRequest(problem="Staff it"), timeout=30))
    assert refusal.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "_API_KEY" in (refusal.value.details() or "")
    assert KEY not in (refusal.value.details() or "")
