"""Every check by its stable id: what it proves, a failing example, and the sentence that fixes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict, Unpack

from kit.contracts.findings import Blame, Finding, Severity
from kit.inside.candidate import Raised, TimedOut, Trouble

FILE = "environment.py"


class More(TypedDict, total=False):
    """What a finding may hold beside its message. remedy: instead of the check's own."""

    evidence: str
    line: int | None
    traceback: str
    remedy: str


@dataclass(frozen=True)
class Check:
    """One thing that is checked; it makes the findings of its kind."""

    id: str
    proves: str
    example: str
    remedy: str
    blame: Blame = Blame.CODE

    def error(self, message: str, **more: Unpack[More]) -> Finding:
        return self._finding(Severity.ERROR, message, **more)

    def warning(self, message: str, **more: Unpack[More]) -> Finding:
        return self._finding(Severity.WARNING, message, **more)

    def note(self, message: str, **more: Unpack[More]) -> Finding:
        return self._finding(Severity.NOTE, message, **more)

    def of(self, trouble: Trouble, message: str, evidence: str = "") -> Finding:
        """The error that a raised exception, a hang or a death is, with its place in the source."""
        kept = trouble.traceback if isinstance(trouble, (Raised, TimedOut)) else ""
        return self.error(f"{message}: {trouble}", evidence=evidence, line=trouble.line, traceback=kept)

    def _finding(
        self,
        severity: Severity,
        message: str,
        evidence: str = "",
        line: int | None = None,
        traceback: str = "",
        remedy: str = "",
    ) -> Finding:
        return Finding(
            check=self.id,
            severity=severity,
            blame=self.blame,
            message=message[:1500],
            evidence=evidence[:1500],
            remedy=remedy or self.remedy,
            file=FILE if line is not None else "",
            line=line if line is not None and 0 < line < 10**6 else None,
            traceback=traceback[:3000],
        )


CATALOGUE: dict[str, Check] = {}


def define(id: str, *, proves: str, example: str, remedy: str, blame: Blame = Blame.CODE) -> Check:
    """A check, entered in the catalogue under its id."""
    assert id not in CATALOGUE, id
    CATALOGUE[id] = Check(id, proves, example, remedy, blame)
    return CATALOGUE[id]
