"""Removes boxes that nobody will: those whose deadline passed, whichever process once started them."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from gymwright.errors import SandboxUnavailable
from kit.sandbox.container import DEADLINE_LABEL
from kit.sandbox.engine import Engine

log = logging.getLogger(__name__)


async def reap(engine: Engine) -> int:
    """Remove every box past its deadline; how many. A box's own owner has long removed it."""
    reaped = 0
    for container, labels in await engine.labelled(DEADLINE_LABEL):
        if is_overdue(labels.get(DEADLINE_LABEL, ""), time.time()):
            log.warning("reaping box %s: its deadline has passed", container[:12])
            with suppress(SandboxUnavailable):
                await engine.remove(container)
                reaped += 1
    return reaped


async def reap_for_ever(engine: Engine, every_s: float) -> None:
    """Reap at once and then on a timer, for as long as the task lives."""
    while True:
        with suppress(SandboxUnavailable):
            await reap(engine)
        await asyncio.sleep(every_s)


def is_overdue(deadline: str, now: float) -> bool:
    """A deadline that is not a number is no deadline of ours: such a box is left alone."""
    return deadline.isdecimal() and int(deadline) < now
