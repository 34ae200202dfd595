"""How long a request may take: time in which a process wanted a processor and got none is not held against it."""

from __future__ import annotations

import os
import time

MOST = 8.0  # times as long on the clock, however busy the machine


class Patience:
    """A deadline `seconds` from now, moved on by what the process has to wait for a processor meanwhile.

    The kernel's own account of the waiting (schedstat); where it keeps none, the clock alone counts.
    """

    def __init__(self, process: int | str, seconds: float) -> None:
        self._process = process
        self._began = time.monotonic()
        self._waited_s = waited_s(process)
        self._seconds = seconds

    def left(self) -> float:
        """Seconds that are left at least; not above 0 once it is over."""
        left = self._began + self._seconds - time.monotonic()
        if left > 0:
            return left  # what it waited for is looked at when it matters
        spared = min(waited_s(self._process) - self._waited_s, (MOST - 1.0) * self._seconds)
        return left + max(spared, 0.0)


def waited_s(process: int | str = "self") -> float:
    """Seconds for which a process has so far been ready to run and did not run; 0 where nobody counts them."""
    try:
        account = os.open(f"/proc/{process}/schedstat", os.O_RDONLY)
        try:
            return int(os.read(account, 100).split()[1]) / 1e9
        finally:
            os.close(account)
    except (OSError, ValueError, IndexError):
        return 0.0
