"""What becomes of a box becomes a report, and only a sound report passes."""

from __future__ import annotations

import pytest

from gymwright.errors import SandboxUnavailable
from kit.contracts.findings import CheckReport
from kit.sandbox.driver import Capabilities
from kit.sandbox.jobs import Ending, JobResult
from services.executor.catalogue_page import PAGE, page
from services.executor.checking import Checking
from services.executor.inside.starving import STARVED

FINDING = {"check": "reward.type", "severity": "ERROR", "blame": "CODE", "message": "the reward is None"}
PASSED = {"findings": [], "ran": ["static"], "skipped": [], "episodes": 1, "steps": 9, "wall_s": 0.1}
FAILED = {**PASSED, "findings": [FINDING]}


class CannedDriver:
    """A driver whose box says what it was told to."""

    def __init__(self, result: JobResult) -> None:
        self._result = result
        self.capabilities = Capabilities(
            name="canned", contains_memory=True, contains_processes=True, contains_disk=True, refuses_network=True,
            refuses_kernel_features=True, hides_host_files=True,
        )  # fmt: skip

    async def run(self, job, artifacts_into=None, on_said=lambda said: None):
        for said in self._result.said:
            on_said(said)
        return self._result

    async def check(self):
        return None

    async def close(self):
        return None


async def report(**result) -> CheckReport:
    found = []
    checking = Checking(CannedDriver(JobResult(**result)))
    checked = await checking.check("source", None, on_finding=found.append)
    assert tuple(found) == checked.findings
    return checked


def result(report_: object) -> dict[str, object]:
    return {"kind": "result", "report": report_}


@pytest.mark.parametrize(
    ("box", "check"),
    [
        ({"ending": Ending.OVERRAN}, "box.overran"),
        ({"ending": Ending.OUT_OF_MEMORY, "exit_code": 137}, "box.out_of_memory"),
        ({"ending": Ending.KILLED, "exit_code": -9}, "box.killed"),
        ({"ending": Ending.EXITED, "exit_code": 0}, "box.no_result"),
        ({"ending": Ending.EXITED, "exit_code": 0, "result": {"kind": "result"}}, "box.no_result"),
        ({"ending": Ending.EXITED, "result": result({**PASSED, "ran": []})}, "box.no_result"),  # nothing was checked
        ({"ending": Ending.EXITED, "result": result({**PASSED, "passed": True})}, "box.no_result"),  # no field of ours
        ({"ending": Ending.EXITED, "result": result([])}, "box.no_result"),
        ({"ending": Ending.OUT_OF_MEMORY, "result": result(PASSED)}, "box.out_of_memory"),
    ],
)
async def test_a_box_without_a_sound_report_never_passes(box, check):
    checked = await report(**box)
    assert [finding.check for finding in checked.errors] == [check]
    assert not checked.passed


async def test_a_sound_report_is_what_the_judge_said():
    said = ({"kind": "group", "name": "static"}, {"kind": "finding", **FINDING})
    checked = await report(ending=Ending.EXITED, said=said, result=result(FAILED))
    assert checked == CheckReport.model_validate(FAILED)


async def test_what_was_found_before_the_box_was_lost_is_kept():
    checked = await report(ending=Ending.OVERRAN, said=({"kind": "finding", **FINDING}, {"kind": "finding", "x": 1}))
    assert [finding.check for finding in checked.findings] == ["reward.type", "box.overran"]


def test_the_catalogue_page_is_what_the_checks_say():
    assert PAGE.read_text() == page()


STARVED_OUT = {**PASSED, "skipped": [{"group": "probes", "why": STARVED}]}


@pytest.mark.parametrize(
    "box",
    [
        {"ending": Ending.EXITED, "exit_code": 0, "result": result(STARVED_OUT)},
        {"ending": Ending.OVERRAN, "said": ({"kind": "group", "name": "bounds", "share": 0.04},)},
    ],
)
async def test_a_machine_without_time_is_no_verdict(box):
    with pytest.raises(SandboxUnavailable, match="Nothing is wrong with the environment"):
        await report(**box)


async def test_what_was_found_on_a_busy_machine_counts():
    said = ({"kind": "group", "name": "bounds", "share": 0.04}, {"kind": "finding", **FINDING})
    checked = await report(ending=Ending.OVERRAN, said=said)
    assert [finding.check for finding in checked.findings] == ["reward.type", "box.overran"]
