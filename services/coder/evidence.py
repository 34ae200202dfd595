"""Evidence: what was found wrong with a draft, as the coder is shown it; bounded, and fenced where candidates speak."""

from __future__ import annotations

from typing import Final

from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.runs import Draft
from kit.prose import Prose, fenced

MOST_FINDINGS: Final = 10
MOST_CHARACTERS: Final = 4_000  # of one traceback or piece of evidence
LINES_AROUND: Final = 4
ORDER: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


class Evidence:
    """Fills the coder's pages about findings. What a candidate may have written stands in fences it can't close."""

    def __init__(self, prompts: Prose) -> None:
        self._prompts = prompts

    def of(self, draft: Draft) -> str:
        """Every finding that is the code's, worst first, with the lines it points at."""
        ours = [finding for finding in draft.findings if finding.blame is Blame.CODE] or list(draft.findings)
        worst = sorted(ours, key=lambda finding: ORDER.index(finding.severity))[:MOST_FINDINGS]
        return "\n\n".join(self._one(draft.source, finding) for finding in worst)

    def history(self, earlier: tuple[Draft, ...]) -> str:
        """What was wrong with the drafts before the last, so that nothing is tried twice."""
        if not earlier:
            return self._prompts.fill("no_history")
        return "\n\n".join(
            self._prompts.fill("earlier_draft", number=number, messages=_messages(draft))
            for number, draft in enumerate(earlier)
        )

    def _one(self, source: str, finding: Finding) -> str:
        parts = [self._prompts.fill("finding", severity=finding.severity.lower(), message=finding.message)]
        if finding.evidence:
            parts.append(self._prompts.fill("finding_evidence", evidence=_quoted(finding.evidence)))
        if finding.line is not None:
            parts.append(self._prompts.fill("finding_lines", lines=offending_lines(source, finding.line)))
        if finding.traceback:
            parts.append(self._prompts.fill("finding_traceback", traceback=_quoted(finding.traceback)))
        if finding.remedy:
            parts.append(self._prompts.fill("finding_remedy", remedy=finding.remedy))
        return "\n\n".join(parts)


def offending_lines(source: str, line: int) -> str:
    """The lines around `line`, numbered, the line itself marked; fenced."""
    lines = source.splitlines()
    first, last = max(1, line - LINES_AROUND), min(len(lines), line + LINES_AROUND)
    shown = [f"{'>' if n == line else ' '} {n:4d}  {lines[n - 1]}" for n in range(first, last + 1)]
    return _quoted("\n".join(shown))


def _quoted(text: str) -> str:
    half = MOST_CHARACTERS // 2
    cut = text if len(text) <= MOST_CHARACTERS else f"{text[:half]}\n[...]\n{text[-half:]}"
    return fenced(cut, "text")


def _messages(draft: Draft) -> str:
    return _quoted("\n".join(finding.message for finding in draft.findings[:MOST_FINDINGS]))
