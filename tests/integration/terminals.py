"""The command line as users have it: a process on a pipe, or on a pseudo-terminal with somebody typing."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import struct
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "gymwright.cli.main"]
COLUMNS, ROWS = 80, 40
PATIENCE_S = 90.0  # for a command on a terminal, on a loaded machine
# Takes the terminal as its own and becomes the command; not by preexec_fn, since gRPC here survives no plain fork.
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


@dataclass
class Ended:
    """What a command left."""

    code: int
    out: str
    err: str = ""


def environment(**more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GYMWRIGHT_")}
    return inherited | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"} | more


async def piped(*arguments: str, cwd: Path, stdin: bytes = b"", interrupt_at: str = "", **env: str) -> Ended:
    """Run on pipes; send SIGINT when a line with `interrupt_at` has come out."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *arguments, cwd=cwd, env=environment(**env), stdin=pipe, stdout=pipe, stderr=pipe
    )
    assert process.stdin and process.stdout and process.stderr
    before = b""
    if interrupt_at:
        while interrupt_at.encode() not in before:
            before += await process.stdout.readline()
        process.send_signal(signal.SIGINT)
    out, err = await process.communicate(stdin)
    return Ended(await process.wait(), (before + out).decode(), err.decode())


async def typed(*arguments: str, cwd: Path, keys: list[tuple[str, str]] | None = None, **env: str) -> Ended:
    """Run on a terminal of 80 columns; type each key when its cue has come out since the last one."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", TAKE_TERMINAL),
        *COMMAND,
        *arguments,
        cwd=cwd,
        env=environment(**env),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        async with asyncio.timeout(PATIENCE_S):
            shown = await _type(ours, list(keys or []))
            return Ended(await process.wait(), shown.decode(errors="replace"))
    finally:
        os.close(ours)
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _type(ours: int, waiting: list[tuple[str, str]]) -> bytes:
    """Everything that comes out until the other end closes. Holds no thread, so that it can be given up."""
    shown, seen = b"", 0
    os.set_blocking(ours, False)
    while chunk := await _chunk(ours):
        shown += chunk
        if waiting and waiting[0][0].encode() in shown[seen:]:
            seen = len(shown)
            os.write(ours, waiting.pop(0)[1].encode())
    return shown


async def _chunk(ours: int) -> bytes:
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(ours, readable.set)
    try:
        await readable.wait()
        return os.read(ours, 65536)
    except OSError:  # the other end has closed
        return b""
    finally:
        loop.remove_reader(ours)
