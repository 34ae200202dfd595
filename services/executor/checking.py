"""The executor's work: an environment goes into a box, and a CheckReport comes out, whatever happened there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pydantic import ValidationError

from gymwright.errors import SandboxUnavailable
from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport, Finding, Severity
from kit.contracts.records import JsonObject
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Ending, Job, JobResult, Limits
from services.executor.ends import finding_of
from services.executor.inside.starving import FAIR_SHARE, STARVED

ENTRY: Final = "services.executor.inside.check"
LIMITS: Final = Limits(wall_s=240.0, memory_mib=1536, processes=64, work_mib=64, said_bytes=4 * 2**20, line_bytes=2**20)
BUDGET_SHARE: Final = 0.6  # of the box's time, until no further group is begun
LAST_SHARE: Final = 0.9  # the same, where the machine took the time and not the candidate
MAX_FINDINGS: Final = 200


class Checking:
    """Checks environments, one box each. What becomes of the box is a finding too.

    SandboxUnavailable is raised where no box could be started, or where the machine had no time for it.
    """

    def __init__(self, driver: SandboxDriver, limits: Limits = LIMITS) -> None:
        self._driver = driver
        self._limits = limits

    async def check(
        self,
        source: str,
        design: EnvDesign | None,
        *,
        class_name: str | None = None,
        seed: int = 0,
        ignored: Sequence[str] = (),
        owner: str = "",
        on_finding: Callable[[Finding], None] = lambda finding: None,
        on_group: Callable[[str], None] = lambda group: None,
    ) -> CheckReport:
        """The report on `source`, against `design` where there is one. on_finding, on_group: as they come.

        ignored: patterns of check ids that the caller does not want to hear of.
        """
        job = Job(
            entry=ENTRY,
            payload={
                "source": source,
                "design": design.model_dump(mode="json") if design is not None else None,
                "class_name": class_name,
                "seed": seed,
                "ignored": list(ignored),
                "budget_s": self._limits.wall_s * BUDGET_SHARE,
                "last_s": self._limits.wall_s * LAST_SHARE,
            },
            limits=self._limits,
            owner=owner,
        )
        heard: list[Finding] = []
        shares: list[float] = [1.0]

        def hear(said: JsonObject) -> None:
            if said.get("kind") == "group":
                share = said.get("share")
                shares.append(float(share) if isinstance(share, (int, float)) else 1.0)
                on_group(str(said.get("name", ""))[:80])
            elif len(heard) < MAX_FINDINGS and (finding := _finding(said)) is not None:
                heard.append(finding)
                on_finding(finding)

        result = await self._driver.run(job, on_said=hear)
        report = report_of(result, tuple(heard))
        if _starved(result, report, tuple(heard), shares[-1]):
            raise SandboxUnavailable(f"A check was not finished: {STARVED}. Nothing is wrong with the environment.")
        for finding in report.findings[len(heard) :]:
            on_finding(finding)
        return report


def _starved(result: JobResult, report: CheckReport, heard: tuple[Finding, ...], share: float) -> bool:
    """Whether there is no verdict because the machine had no time. What was found until then is a verdict.

    share: what the judge last said that it got of a processor.
    """
    if any(finding.severity is Severity.ERROR for finding in heard):
        return False
    if result.ending is Ending.OVERRAN and result.result is None:
        return share < FAIR_SHARE
    return report.passed and any(skipped.why == STARVED for skipped in report.skipped)


def report_of(result: JobResult, heard: tuple[Finding, ...]) -> CheckReport:
    """What the judge said, if it came to an end; else what was heard until then, and how the box ended.

    heard: the findings said one by one. The report's own list must begin with them.
    """
    report = _report(result)
    if report is None:
        return CheckReport(findings=(*heard, finding_of(result)), wall_s=result.wall_s)
    if result.ending is not Ending.EXITED and report.passed:
        return report.model_copy(update={"findings": (*report.findings, finding_of(result))})
    return report


def _report(result: JobResult) -> CheckReport | None:
    """The judge's report, where it is a sound one."""
    if result.result is None:
        return None
    try:
        report = CheckReport.model_validate(result.result.get("report"))
    except ValidationError:
        return None
    return report if report.ran and len(report.findings) <= MAX_FINDINGS else None


def _finding(said: JsonObject) -> Finding | None:
    if said.get("kind") != "finding":
        return None
    try:
        return Finding.model_validate({name: value for name, value in said.items() if name != "kind"})
    except ValidationError:
        return None
