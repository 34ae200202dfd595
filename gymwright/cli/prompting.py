"""Asks on the terminal, and hears a Ctrl-C whenever it comes."""

from __future__ import annotations

import select
import sys
from typing import Final

LOOK_S: Final = 0.2


def prompted(question: str) -> str:
    """The line that was typed after the question, "" at the end of the input; raises KeyboardInterrupt.

    A signal that arrives just before the process starts to wait in a bare readline is seen only after
    the next key; so this waits in short turns.
    """
    sys.stderr.write(question)
    sys.stderr.flush()
    while not select.select([sys.stdin], [], [], LOOK_S)[0]:
        pass
    return sys.stdin.readline()
