"""A box that ended without a valid result, as a finding: the candidate ran in it, so it is the candidate's doing."""

from __future__ import annotations

from typing import Final

from kit.contracts.findings import Blame, Finding, Severity
from kit.sandbox.jobs import Ending, JobResult

_SAYS: Final[dict[Ending, tuple[str, str, str]]] = {
    Ending.OVERRAN: (
        "overran",
        "it was still running after {wall_s:.0f} s, though training stops by itself before: a step or a reset hung",
        "Look for a loop that may not end, and keep every step under a millisecond.",
    ),
    Ending.OUT_OF_MEMORY: (
        "out_of_memory",
        "it used up its memory",
        "Keep nothing that grows from step to step; clear histories in reset.",
    ),
    Ending.KILLED: ("killed", "a signal ended it", "Use no native code that can crash."),
    Ending.EXITED: (
        "no_result",
        "it ended (exit code {exit_code}) without a valid result",
        "Never call sys.exit or os._exit, and leave other modules alone.",
    ),
}
_TAIL: Final = 2000


def no_result(phase: str, result: JobResult, reached: str) -> Finding:
    """phase: "training" or "ladder". reached: how far it had come, in a sentence."""
    name, said, remedy = _SAYS[result.ending]
    what = said.format(wall_s=result.wall_s, exit_code=result.exit_code)
    return Finding(
        check=f"{phase}.{name}",
        severity=Severity.ERROR,
        blame=Blame.CODE,
        message=f"The {phase} gave no answer: {what}.",
        evidence=f"{reached} Its last output: {result.output[-_TAIL:].strip() or 'none'}",
        remedy=remedy,
    )


def no_policy() -> Finding:
    """A result was said, and the file that must come with it was not there, or too large to be a policy."""
    return Finding(
        check="training.no_result",
        severity=Severity.ERROR,
        blame=Blame.CODE,
        message="The training says that it succeeded and left no policy.onnx, or none of a sensible size.",
        remedy="Leave files and modules that are not the environment's own alone.",
    )
