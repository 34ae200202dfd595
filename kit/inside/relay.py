"""Watches the work until it ends, passing on what it says and keeping the ends of what it prints."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kit.inside import frames, taking
from kit.inside.orders import Orders, OwnerGone
from kit.inside.ring import Ring
from kit.inside.saying import KEEP, OUT_DIR
from kit.inside.strict import NotStrict, strict_said

PIPE_BYTES = 65536


class Breach(Exception):
    """The work broke the channel's rules; it is stopped, and this says why."""


class Relay:
    """One work's two pipes, its end, its owner's end and its deadline, in one loop."""

    def __init__(self, pid: int, said: int, output: int, orders: Orders, send: Callable[[bytes, bytes], None]) -> None:
        self._pid = pid
        self._said = said
        self._output = output
        self._orders = orders
        self._send = send
        self._line = bytearray()
        self._said_bytes = 0
        self._kept = 0
        self.ring = Ring(orders.output_bytes)
        self.status: int | None = None  # as os.wait says it; None while it runs

    def until_end(self, owner: int, child_ended: int) -> None:
        """Return when the work has ended; TimeoutError at its deadline, Breach, or OwnerGone."""
        deadline = self._orders.received + self._orders.wall_s
        poll = select.poll()
        for descriptor in (owner, child_ended, self._said, self._output):
            poll.register(descriptor, select.POLLIN)
        while self.status is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            for descriptor, _ in poll.poll(min(left, 60.0) * 1000 + 1):
                if descriptor == owner and not os.read(owner, 1):
                    raise OwnerGone
                if descriptor in (self._said, self._output) and self._pump(descriptor) == 0:
                    poll.unregister(descriptor)  # it closed its own end; it may go on working
                if descriptor == child_ended:
                    with suppress(BlockingIOError):
                        os.read(child_ended, 4096)
                    self.reap()

    def reap(self) -> bool:
        """Collect whoever has died; False when there is nobody left to wait for."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._pid:
                self.status = status

    def drain(self) -> None:
        """Take what is left in the pipes; everybody who could write is dead, or gets no more time."""
        for descriptor in (self._said, self._output):
            for _ in range(4 * 2**20 // PIPE_BYTES):
                if self._pump(descriptor) <= 0:
                    break

    def _pump(self, descriptor: int) -> int:
        """Take in what is there: how many bytes; 0 when all writers are gone, -1 when there is nothing yet."""
        try:
            data = os.read(descriptor, PIPE_BYTES)
        except BlockingIOError:
            return -1
        if data and descriptor == self._output:
            self.ring.feed(data)
        elif data:
            self._hear(data)
        return len(data)

    def _hear(self, data: bytes) -> None:
        self._said_bytes += len(data) + data.count(b"\n") * frames.LINE_COST
        if self._said_bytes > self._orders.said_bytes:
            raise Breach(f"it said more than {self._orders.said_bytes} bytes")
        self._line += data
        *lines, rest = self._line.split(b"\n")
        self._line = rest
        for line in lines:
            if len(line) >= self._orders.line_bytes:
                raise Breach(f"it said a line of more than {self._orders.line_bytes} bytes")
            try:
                said = strict_said(bytes(line))
            except NotStrict as problem:
                raise Breach(f"what it said is {problem}") from None
            if said["kind"] == KEEP:
                self._keep(said.get("name"))
            self._send(frames.SAID, bytes(line))
        if len(rest) >= self._orders.line_bytes:
            raise Breach(f"it said a line of more than {self._orders.line_bytes} bytes")

    def _keep(self, name: object) -> None:
        """Send the file as it is now, ahead of the line that asks for it; nothing where it may not be fetched."""
        if name not in self._orders.keep or self._kept == self._orders.keeps:
            return
        self._kept += 1
        for found in taking.take(OUT_DIR, [str(name)], 1, self._orders.artifact_bytes):
            if len(found) == 3:
                taking.send(frames.KEPT, *found, self._send)


def end_everybody(relay: Relay, work: int) -> None:
    """Kill the work and whatever it started, and collect them, so that nothing changes any more."""
    give_up = time.monotonic() + 5.0
    while time.monotonic() < give_up:
        with suppress(ProcessLookupError, PermissionError):
            if os.getpid() == 1:
                os.kill(-1, signal.SIGKILL)  # everybody in this box but us
            else:
                os.killpg(work, signal.SIGKILL)
        for child in _children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        if not relay.reap():
            return
        select.select([], [], [], 0.002)


def _children() -> list[int]:
    """Our children, daemons that were left to us among them: the runner is their subreaper."""
    if os.getpid() == 1:
        return []
    with suppress(OSError):
        return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]
    return []
