"""PID 1 of every box: loads the heavy libraries, waits for one job, runs it in a fork, reports, ends.

Everything it reports goes to its standard output in frames; nobody else in the box has that
descriptor, and nobody can take it (the runner is not dumpable). Set by the driver:

GYMWRIGHT_BOX_DIR      the work folder, /job where nothing else is said
GYMWRIGHT_BOX_PRELOAD  modules to import before the job comes, separated by commas
GYMWRIGHT_BOX_UID      leave root for this user first
GYMWRIGHT_BOX_RLIMITS  resource limits as JSON, {"NPROC": 128}, where no engine sets them
GYMWRIGHT_BOX_CONNECT  "refuse": also refuse connect(), where the host's Unix sockets can be seen
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress

from kit.inside import frames, hardening, orders, relay, seccomp, taking, work
from kit.inside.saying import BOX_DIR, OUT_DIR, TMP_DIR

IN, OUT = 0, 1
LAST_S = 30.0  # beyond wall_s; by then our side has long stopped the box, or it is frozen


def main() -> None:
    """One box, one job."""
    if uid := os.environ.pop("GYMWRIGHT_BOX_UID", ""):
        hardening.become(int(uid))
    for name, most in json.loads(os.environ.pop("GYMWRIGHT_BOX_RLIMITS", "{}")).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # Python's own handlers would let the work stop us
    hardening.prctl(hardening.PR_SET_CHILD_SUBREAPER, 1)
    seccomp.install(refuse_connect=os.environ.pop("GYMWRIGHT_BOX_CONNECT", "") == "refuse")
    os.environ.update(HOME=str(TMP_DIR), TMPDIR=str(TMP_DIR), USER="box", LOGNAME="box")
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    os.chdir(BOX_DIR)
    _send(frames.READY, json.dumps({"missing": _preload()}).encode())
    try:
        _run(orders.receive(IN, BOX_DIR))
    except orders.OwnerGone as reason:
        if str(reason):
            sys.stderr.write(f"{reason}\n")
    except Exception as problem:
        _send(frames.END, json.dumps({"trouble": f"{type(problem).__name__}: {problem}"[:1000]}).encode())
    finally:
        os._exit(0)


def _preload() -> list[str]:
    """Import what is heavy, once, before the fork; nothing is computed, so that no thread starts."""
    missing = []
    for name in filter(None, os.environ.pop("GYMWRIGHT_BOX_PRELOAD", "").split(",")):
        try:
            importlib.import_module(name)
        except ImportError as problem:
            missing.append(f"{name}: {problem}"[:200])
    hardening.make_undumpable()
    gc.collect()
    gc.freeze()  # so that the child's collections don't copy every page
    return missing


def _run(job: orders.Orders) -> None:
    ended_read, ended_write = os.pipe()
    os.set_blocking(ended_read, False)
    os.set_blocking(ended_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ended_write, warn_on_full_buffer=False)
    killed_before = hardening.out_of_memory_kills()
    end: dict[str, object] = {"exit_code": None, "overran": False, "trouble": ""}
    pid, said, output = work.fork(job)
    _end_for_certain(job.received + job.wall_s + LAST_S, pid)
    watch = relay.Relay(pid, said, output, job, _send)
    try:
        watch.until_end(IN, ended_read)
    except TimeoutError:
        end["overran"] = True
    except relay.Breach as breach:
        end["trouble"] = str(breach)
    finally:
        relay.end_everybody(watch, pid)
    if not end["trouble"]:
        try:
            watch.drain()
        except relay.Breach as breach:
            end["trouble"] = str(breach)
    if watch.status is not None:
        end["exit_code"] = os.waitstatus_to_exitcode(watch.status)
    end["out_of_memory"] = (
        end["exit_code"] == work.OUT_OF_MEMORY_EXIT or hardening.out_of_memory_kills() > killed_before
    )
    kept, dropped = watch.ring.kept()
    _send(frames.OUTPUT, frames.DROPPED.pack(dropped) + kept)
    end["refused"] = _take(job)
    _send(frames.END, json.dumps(end).encode())


def _end_for_certain(last: float, pid: int) -> None:
    """End the box at `last` even while a write to an owner that stopped reading blocks us."""

    def give_up(*_: object) -> None:
        if time.monotonic() >= last:  # the work can send this signal too, and is not heard
            with suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
            os._exit(1)

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, max(last - time.monotonic(), 1.0), 1.0)


def _take(job: orders.Orders) -> dict[str, str]:
    refused: dict[str, str] = {}
    for found in taking.take(OUT_DIR, job.take, job.artifacts, job.artifact_bytes):
        if len(found) == 2:
            refused[found[0]] = found[1]
            continue
        taking.send(frames.FILE, *found, _send)
    return refused


def _send(kind: bytes, body: bytes) -> None:
    view = memoryview(frames.frame(kind, body))
    with suppress(BrokenPipeError):
        while view:
            view = view[os.write(OUT, view) :]


if __name__ == "__main__":
    main()
