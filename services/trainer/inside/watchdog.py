"""Watchdog: interrupts a candidate that hangs, where it hangs, at no cost to the steps that don't."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType, TracebackType

from services.trainer.inside.faults import FILE, TWIN_FILE, Hung

PATIENCE_S = 20.0


class Watchdog:
    """Looks every `seconds`: where nothing was counted since the last look, and the candidate's code
    is what runs, Hung is raised in it. counted: a number that grows with every step and reset."""

    def __init__(self, counted: Callable[[], int], seconds: float = PATIENCE_S) -> None:
        self._counted = counted
        self._seconds = seconds
        self._seen = -1

    def __enter__(self) -> Watchdog:
        signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, self._seconds, self._seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _look(self, number: int, frame: FrameType | None) -> None:
        before, self._seen = self._seen, self._counted()
        if before == self._seen and _is_candidates(frame):
            raise Hung(f"no answer for {self._seconds:g} s")


def _is_candidates(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename in (FILE, TWIN_FILE):
            return True
        frame = frame.f_back
    return False
