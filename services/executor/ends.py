"""What the end of a box says about the candidate in it, where the judge could not say it itself."""

from __future__ import annotations

from kit.contracts.findings import Finding
from kit.sandbox.jobs import Ending, JobResult
from services.executor.inside.catalogue import Check, define

OVERRAN = define(
    "box.overran",
    proves="The whole check ends within its time.",
    example="while True: pass  # in C code, where no alarm gets through",
    remedy="Make every call return within milliseconds: no endless loops, no sleeping, no work over growing histories.",
)
OUT_OF_MEMORY = define(
    "box.out_of_memory",
    proves="The check fits into the box's memory.",
    example="self.frames.append(np.zeros((1000, 1000)))  # in every step",
    remedy="Keep no history, and no arrays of millions of numbers.",
)
KILLED = define(
    "box.killed",
    proves="Nobody in the box kills the judge.",
    example="os.kill(os.getppid(), signal.SIGKILL)",
    remedy="Remove the call that signals other processes.",
)
NO_RESULT = define(
    "box.no_result",
    proves="The check comes to a result.",
    example="os._exit(0) in the process that checks",
    remedy="Remove what reaches out of step() and reset(): exits, signals, forks, writes to descriptors.",
)
_OF_ENDING: dict[Ending, tuple[Check, str]] = {
    Ending.OVERRAN: (OVERRAN, "the check was still running when its time was over"),
    Ending.OUT_OF_MEMORY: (OUT_OF_MEMORY, "the box ran out of memory"),
    Ending.KILLED: (KILLED, "the check was killed by a signal"),
    Ending.EXITED: (NO_RESULT, "the check ended without a valid result"),
}


def finding_of(result: JobResult) -> Finding:
    """Never a pass: a box that gave no valid report is an error of the candidate."""
    check, message = _OF_ENDING[result.ending]
    code = "" if result.exit_code is None else f"exit code {result.exit_code}; "
    return check.error(message, evidence=f"{code}{result.wall_s:.1f} s; it printed: {result.output[-600:]!r}")
