"""What goes wrong in the candidate while it trains, as findings that the coder can act on."""

from __future__ import annotations

import traceback

from kit.contracts.findings import Blame, Finding, Severity

_HANDLE_IT = "Handle this case; an environment never raises on an action from its own action space."
_END_IT = "Bound the loop at this line, and keep every step under a millisecond."
FILE = "environment.py"  # the name under which the candidate's source is compiled
TWIN_FILE = "twin.py"  # and that of its batched twin


class Hung(BaseException):
    """Raised in the candidate's code by the watchdog; no `except Exception` of its own catches it."""


class CandidateBroke(Exception):
    """The candidate did what no environment may; `finding` says what, where and when."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def raised(problem: BaseException, doing: str, evidence: str) -> CandidateBroke:
    """The candidate raised while it was `doing` something, e.g. "step"."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == FILE]
    lines = traceback.format_list(frames) + traceback.format_exception_only(type(problem), problem)
    line = frames[-1].lineno if frames else getattr(problem, "lineno", None)
    hung = isinstance(problem, Hung)
    said = f"gave {problem}" if hung else f"raised {_short(f'{type(problem).__name__}: {problem}')}"
    return CandidateBroke(
        Finding(
            check="training.hung" if hung else "training.raised",
            severity=Severity.ERROR,
            blame=Blame.CODE,
            message=f"{doing} {said} during training",
            evidence=evidence,
            remedy=_END_IT if hung else _HANDLE_IT,
            file=FILE,
            line=line,
            traceback=_short("".join(lines), 4000),
        )
    )


def reported(check: str, message: str, evidence: str, remedy: str) -> CandidateBroke:
    """What the candidate returned can't be used."""
    return CandidateBroke(
        Finding(
            check=check,
            severity=Severity.ERROR,
            blame=Blame.CODE,
            message=_short(message),
            evidence=_short(evidence),
            remedy=remedy,
            file=FILE,
        )
    )


def _short(text: str, most: int = 1000) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"
