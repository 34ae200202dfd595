"""Findings: what a check found, whose fault it is, the evidence, and the sentence that fixes it."""

from __future__ import annotations

from enum import StrEnum

from kit.contracts.records import Record


class Severity(StrEnum):
    ERROR = "ERROR"  # fails the candidate
    WARNING = "WARNING"  # does not
    NOTE = "NOTE"  # teaches


class Blame(StrEnum):
    CODE = "CODE"  # the environment does not do what the design says: to the coder
    DESIGN = "DESIGN"  # the design asks for the wrong thing: to the designer
    BUDGET = "BUDGET"  # training was too short: to the user


class Finding(Record):
    """One thing that is wrong, or worth knowing.

    check: stable id from the catalogue, e.g. "observation.formula".
    message: what was found and what was expected. evidence: the seed, step and values that show it.
    remedy: what to do. file, line: in the candidate's source, where known (line counts from 1).
    """

    check: str
    severity: Severity
    blame: Blame
    message: str
    evidence: str = ""
    remedy: str = ""
    file: str = ""
    line: int | None = None
    traceback: str = ""


class SkippedGroup(Record):
    """A group of checks that was not run, and why; never silently passed."""

    group: str
    why: str


class CheckReport(Record):
    """What the executor found. It passed where no finding is an ERROR."""

    findings: tuple[Finding, ...] = ()
    ran: tuple[str, ...] = ()  # groups, in order
    skipped: tuple[SkippedGroup, ...] = ()
    episodes: int = 0
    steps: int = 0
    wall_s: float = 0.0

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)

    @property
    def passed(self) -> bool:
        return not self.errors
