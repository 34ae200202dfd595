"""Whether it was the machine, and not the candidate, that had no time: what the judge got of a processor."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from kit.inside.candidate.patience import waited_s

USAGE = Path("/sys/fs/cgroup/cpu.stat")
STARVED = "the machine was too busy to finish the check"
FAIR_SHARE = 0.5  # of the time in which the judge could have run


def box_cpu_seconds() -> float:
    """What everything in this box has computed so far, by the kernel's account; 0 where it keeps none here."""
    try:
        usage = dict(line.split() for line in USAGE.read_text().splitlines())
        return int(usage["usage_usec"]) / 1e6
    except (OSError, ValueError, KeyError):
        return 0.0


@dataclass(frozen=True)
class Account:
    """Taken when a check begins: what it gets from then on."""

    ran_s: float = field(default_factory=time.process_time)
    waited_s: float = field(default_factory=waited_s)
    box_s: float = field(default_factory=box_cpu_seconds)

    @property
    def share(self) -> float:
        """Of the time in which the judge wanted to run: how much of it ran; 1 where nobody counts the waiting."""
        ran, waited = time.process_time() - self.ran_s, waited_s() - self.waited_s
        return ran / (ran + waited) if ran + waited > 0 else 1.0

    @property
    def computed_s(self) -> float:
        """What everything in the box has computed."""
        return max(0.0, box_cpu_seconds() - self.box_s)
