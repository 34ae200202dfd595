"""Exit codes: what a script may rely on, and which error leads to which."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from gymwright.errors import GymwrightError, NotFound, NotReady, RequestWrong, TryAgainLater, Unauthenticated
from gymwright.views import Run, RunState, Verdict


class Exit(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    AWAY = 3
    CANCELLED = 4
    NOT_LEARNED = 5
    ADVISED = 6
    WAITING = 7
    INTERRUPTED = 130


EXIT_OF: Final[dict[type[GymwrightError], Exit]] = {
    RequestWrong: Exit.USAGE,
    NotFound: Exit.USAGE,
    Unauthenticated: Exit.USAGE,
    NotReady: Exit.FAILED,
    TryAgainLater: Exit.AWAY,
    GymwrightError: Exit.AWAY,
}

HELP: Final = "\b\n" + "\n".join(
    (
        "Exit codes:",
        "  0  done, whatever the verdict",
        "  1  the run failed, or the check found an error",
        "  2  the input was refused, or names nothing there is",
        "  3  a service is away, or could not do it",
        "  4  the run was cancelled",
        "  5  the verdict is not LEARNED, under --require-learned",
        "  6  another tool than reinforcement learning is advised; --insist goes on",
        "  7  the run waits for your answer or review, under --no-wait",
        "130  Ctrl-C: detached or interrupted",
    )
)


def exit_of(error: GymwrightError) -> Exit:
    """The row of the nearest ancestor."""
    return next(EXIT_OF[kind] for kind in type(error).__mro__ if kind in EXIT_OF)


def exit_of_run(run: Run, require_learned: bool = False) -> Exit:
    """What a run that rests, or still passes, is worth to a script."""
    match run.state:
        case RunState.FAILED:
            return Exit.FAILED
        case RunState.CANCELLED:
            return Exit.CANCELLED
        case RunState.ADVISED:
            return Exit.ADVISED
        case RunState.SUCCEEDED if require_learned and run.verdict is not Verdict.LEARNED:
            return Exit.NOT_LEARNED
        case _:
            return Exit.DONE
