"""Runs a module as a room of the house, tied to the process that started it: when that ends, so does the room.

`python -m gymwright.cli.tied MODULE`. Stdin is a pipe whose other end only the starter holds. However
the starter ends, also by SIGKILL, the pipe closes; then the room is asked to stop, and made to if it will not.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from typing import Final

GRACE_S: Final = 15.0


def tie(pipe: int) -> None:
    """Wait for the starter's end; then stop gracefully, or not."""
    while os.read(pipe, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(GRACE_S)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    pipe = os.dup(0)  # our own, and not inherited by what the room starts
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    threading.Thread(target=tie, args=(pipe,), name="tied", daemon=True).start()
    module = sys.argv.pop(1)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
