"""Losses: a box that could not be had, or was lost, is tried again by itself, while the run's other boxes go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gymwright.errors import SandboxUnavailable

PAUSES_S: Final = (1.0, 5.0, 25.0)  # before each further try; an engine that is restarted is back in less


@dataclass
class Losses:
    """Of one piece of work. on_note: told of each pause, in a sentence. which: what the work is, in a few words."""

    which: str
    on_note: Callable[[str], None]
    pauses_s: tuple[float, ...] = PAUSES_S
    count: int = field(default=0, init=False)

    async def another(self, failure: SandboxUnavailable) -> None:
        """Pause before another try; raises the failure where there have been enough."""
        if self.count == len(self.pauses_s):
            raise failure
        pause, self.count = self.pauses_s[self.count], self.count + 1
        self.on_note(f"{self.which}: {str(failure).rstrip('.')}; trying again in {pause:g} s")
        await asyncio.sleep(pause)
