"""Starting and ending the candidate's process: it gets its own pipe ends and nothing else of the judge's."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from kit.inside import hardening
from kit.inside.candidate.messages import Pipe

SOURCE, SINK = 3, 4  # the candidate's descriptors, beside its standard three
PR_SET_PDEATHSIG = 1
F_SETPIPE_SZ = 1031
PIPE_BYTES = 2**20
HIGH = 100  # out of the way of SOURCE and SINK


@dataclass
class Process:
    """The candidate's process group, and the judge's end of the pipe."""

    pid: int
    pipe: Pipe

    def end(self) -> str:
        """Kill the group, collect the leader, and say how it ended, or had ended."""
        self.pipe.close()
        how = self._reap()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if how is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            how = "killed by the judge"
        return how

    def _reap(self) -> str | None:
        """How it ended by itself, or None where it still runs. A closed pipe gives it a moment to be gone."""
        give_up = time.monotonic() + 0.05
        while True:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                return "gone"
            if pid:
                code = os.waitstatus_to_exitcode(status)
                return f"exit status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
            if time.monotonic() > give_up:
                return None
            time.sleep(0.002)


def fork() -> Process:
    """A copy of this process, with what it has imported: milliseconds."""
    sys.stdout.flush()
    sys.stderr.flush()
    theirs, ours = _pipes()
    pid = os.fork()
    if pid == 0:
        _become_the_candidate(*theirs)
    return _ours(pid, theirs, ours)


def spawn(hash_seed: int = 0) -> Process:
    """A fresh interpreter with another PYTHONHASHSEED: half a second."""
    theirs, ours = _pipes()
    root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH", "")])])
    # A tiny shell of our own moves the pipe to SOURCE and SINK before the interpreter is replaced.
    child = subprocess.Popen(
        [sys.executable, "-c", _STARTER, str(theirs[0]), str(theirs[1])],
        pass_fds=theirs,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": path},
    )
    child.returncode = 0  # we collect it ourselves
    return _ours(child.pid, theirs, ours)


_STARTER = (
    "import os,sys;from kit.inside.candidate.process import stand_alone;stand_alone(int(sys.argv[1]),int(sys.argv[2]))"
)


def stand_alone(source: int, sink: int) -> NoReturn:
    """What a fresh interpreter does: the same clearing up as a fork's, then it serves."""
    _become_the_candidate(source, sink)


def _become_the_candidate(source: int, sink: int) -> NoReturn:
    code = 1
    try:
        with suppress(OSError):
            os.setsid()
        with suppress(OSError):
            hardening.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        source, sink = (fcntl.fcntl(end, fcntl.F_DUPFD, HIGH) for end in (source, sink))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(source, SOURCE)
        os.dup2(sink, SINK)
        os.closerange(SINK + 1, os.sysconf("SC_OPEN_MAX"))
        # The judge's own streams may stand on descriptors that are closed by now.
        sys.stdout = open(1, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
        for descriptor in (SOURCE, SINK):
            os.set_blocking(descriptor, True)
            os.set_inheritable(descriptor, False)
        from kit.inside.candidate.server import serve_and_leave

        serve_and_leave(SOURCE, SINK)
        code = 0
    finally:
        os._exit(code)


def _pipes() -> tuple[tuple[int, int], tuple[int, int]]:
    """(their source, their sink), (our source, our sink)."""
    their_source, our_sink = os.pipe()
    our_source, their_sink = os.pipe()
    for descriptor in (our_sink, their_sink):
        with suppress(OSError):
            fcntl.fcntl(descriptor, F_SETPIPE_SZ, PIPE_BYTES)
    return (their_source, their_sink), (our_source, our_sink)


def _ours(pid: int, theirs: tuple[int, int], ours: tuple[int, int]) -> Process:
    for descriptor in theirs:
        os.close(descriptor)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    return Process(pid, Pipe(*ours))
