"""The child that does the work: everything that runs here is somebody else's code, or touches it."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import traceback
from typing import NoReturn

from kit.inside import hardening
from kit.inside.orders import Orders
from kit.inside.saying import Channel

OUT_OF_MEMORY_EXIT = 137  # what an uncaught MemoryError leaves, as a kill by the kernel would


def fork(orders: Orders) -> tuple[int, int, int]:
    """Start the work; its process id, and our ends of what it says and of what it prints."""
    said_read, said_write = os.pipe()
    output_read, output_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_the_work(orders, said_write, output_write)
    os.close(said_write)
    os.close(output_write)
    os.set_blocking(said_read, False)
    os.set_blocking(output_read, False)
    return pid, said_read, output_read


def _become_the_work(orders: Orders, said: int, output: int) -> NoReturn:
    """Keep three harmless standard descriptors and the channel; run the entry; leave at once."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, said)
        os.closerange(said + 1, os.sysconf("SC_OPEN_MAX"))
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
        hardening.prefer_as_oom_victim()
        hardening.make_undumpable()
        say = Channel(said, orders.line_bytes)
        importlib.import_module(orders.entry).main(orders.payload, say)
        code = 0
    except MemoryError:
        traceback.print_exc()
        code = OUT_OF_MEMORY_EXIT
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if isinstance(leaving.code, str):
            sys.stderr.write(leaving.code + "\n")
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code & 0xFF)  # an orderly exit of torch takes half a second
