"""An environment checked through the gateway without a run: what is said, what is refused, and who stops listening."""

from __future__ import annotations

import pytest

from gymwright.errors import RequestWrong, SandboxUnavailable
from gymwright.v1 import design_pb2, findings_pb2
from kit.contracts.findings import CheckReport
from kit.contracts.wire import to_proto
from tests.integration.agents import Gate, Script, agents, error
from tests.integration.gateways import gateway, house, parts
from tests.unit.designs import kiosk

BROKEN = CheckReport(findings=(error("episodes.reset", line=41),), ran=("static",))


async def test_a_check_says_its_groups_and_findings_and_last_its_report(tmp_path):
    script = Script(checks={"mine": BROKEN})
    async with house(tmp_path, script) as client:
        design = to_proto(kiosk(), design_pb2.EnvDesign)
        said = [one async for one in client.check("mine", class_name="Kiosk", design=design, seed=7)]
    *groups, finding, report = said
    assert (groups, finding.check) == (["static", "episodes"], "episodes.reset")
    assert isinstance(report, findings_pb2.CheckReport) and list(report.ran) == ["static"]
    asked = script.checked[0]
    assert (asked.source, asked.class_name, asked.design.name, asked.seed) == ("mine", "Kiosk", "kiosk", 7)
    assert script.ended == []


async def test_a_check_needs_no_design(tmp_path):
    script = Script()
    async with house(tmp_path, script) as client:
        _ = [one async for one in client.check("mine")]
    assert not script.checked[0].HasField("design")


@pytest.mark.parametrize("refusal", [RequestWrong("The source is empty."), SandboxUnavailable("No box.")])
async def test_the_executors_refusal_reaches_whoever_asked(tmp_path, refusal):
    script = Script(failures={"StartCheck": [refusal]})
    async with house(tmp_path, script) as client:
        with pytest.raises(type(refusal), match=str(refusal)):
            _ = [one async for one in client.check("mine")]


async def test_a_check_that_nobody_listens_to_any_more_is_ended(tmp_path):
    gate = Gate()
    script = Script(gates={"check": gate})
    async with agents(script) as addresses, gateway(parts(tmp_path, addresses)) as client:
        listening = client.check("mine")
        await anext(listening)
        await gate.reached.wait()
        await listening.aclose()
        await script.cancelled.wait()
    assert script.ended == script.keys
