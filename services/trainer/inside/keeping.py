"""Keeping: what a checkpoint holds of the objects around the model, and how fresh ones take it up."""

from __future__ import annotations

import time
from typing import Any, ClassVar


class Keeping:
    """An object whose state is in the attributes that KEPT names; all else it has from its constructor."""

    KEPT: ClassVar[tuple[str, ...]] = ()

    def kept(self) -> dict[str, Any]:
        """To be pickled at once: nothing is copied."""
        return {name: getattr(self, name) for name in self.KEPT}

    def take_up(self, kept: dict[str, Any]) -> None:
        """Go on as the one that kept this."""
        for name in self.KEPT:
            setattr(self, name, kept[name])


class Clock(Keeping):
    """Seconds since it was made, with those before a checkpoint that was taken up."""

    KEPT = ("wall_s", "cpu_s")

    def __init__(self) -> None:
        self.wall_s = self.cpu_s = 0.0

    @property
    def wall_s(self) -> float:
        return time.monotonic() - self._wall_began

    @wall_s.setter
    def wall_s(self, seconds: float) -> None:
        self._wall_began = time.monotonic() - seconds

    @property
    def cpu_s(self) -> float:
        return time.process_time() - self._cpu_began

    @cpu_s.setter
    def cpu_s(self, seconds: float) -> None:
        self._cpu_began = time.process_time() - seconds
