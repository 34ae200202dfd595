"""What goes into a box and what comes out: a Job, its Limits, and the JobResult."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, PositiveFloat, PositiveInt

from kit.contracts.records import JsonObject, Record
from kit.inside.frames import is_plain


def _plain(name: str) -> str:
    if not is_plain(name):
        raise ValueError(f"{name!r} is not a plain file name")
    return name


PlainName = Annotated[str, AfterValidator(_plain)]
"""Letters, digits, dot, dash and underscore, at most 100; no folder, no leading dot."""


class Ending(StrEnum):
    """How the work in a box came to its end. None of these is an error of ours."""

    EXITED = "EXITED"  # by itself, well or badly: see exit_code
    OVERRAN = "OVERRAN"  # still running at wall_s; we killed it
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    KILLED = "KILLED"  # by a signal that was not ours, or for breaking a rule: see note


class Limits(Record):
    """What one job may use. wall_s counts from hand-off and includes set-up."""

    wall_s: PositiveFloat = 60.0
    memory_mib: PositiveInt = 1024
    cpus: PositiveFloat = 1.0
    processes: PositiveInt = 128
    work_mib: PositiveInt = 256  # of /job and /tmp together, within memory_mib
    said_bytes: PositiveInt = 16 * 2**20  # of JSON lines, each 256 bytes more than it is long; more ends the job
    line_bytes: PositiveInt = 2**20  # of one JSON line
    output_bytes: PositiveInt = 64 * 1024  # of stdout and stderr kept: half head, half tail
    artifact_bytes: PositiveInt = 64 * 2**20  # of all artifacts together
    artifacts: PositiveInt = 64  # how many
    keeps: PositiveInt = 16  # how often a file is fetched while the work goes on; each within artifact_bytes


class Job(Record):
    """One piece of work for one throwaway box.

    entry: dotted path of a module of ours that the box has; its `main(payload, say)` is the work.
    files: placed in the box's /job/in before the work starts (name -> content; plain names only).
    take: names that may be taken from /job/out when the work ends; anything else there is ignored.
    keep: names that may be taken from /job/out while it goes on, each time that it says {"kind": "keep", "name": NAME};
        on_said hears that when the file has taken the place of the one fetched before. So a box that is lost leaves
        the latest.
    owner: who asked, e.g. the run's id; a box made for this job carries it as a label (a warm one can't).
    """

    entry: str
    payload: JsonObject = Field(default_factory=dict)
    files: dict[PlainName, bytes] = Field(default_factory=dict)
    take: tuple[PlainName, ...] = ()
    keep: tuple[PlainName, ...] = ()
    limits: Limits = Limits()
    owner: str = ""


class JobResult(Record):
    """What became of a job; data, whatever the ending.

    said: every JSON object the work said, oldest first; strict JSON, within the caps.
    result: the object said last, if its kind is "result" and the work then ended by itself with
        exit code 0; else None: there was no valid result, whatever the exit code.
    output: head and tail of stdout and stderr together; output_dropped bytes are missing between.
    artifacts: name -> file on our side, a regular file within the caps; the caller owns the folder.
    artifacts_refused: name -> why an artifact that was there was not taken.
    wall_s: from hand-off to the end, waiting for a box not counted.
    note: why we ended it before its time, or what is odd about its end; fit to show.
    unexplained: it was KILLED and nobody knows by whom: its runner went with it, without a word. On a driver that
        promises to contain processes that comes from outside the box.
    """

    ending: Ending
    exit_code: int | None = None
    said: tuple[JsonObject, ...] = ()
    result: JsonObject | None = None
    output: str = ""
    output_dropped: int = 0
    artifacts: dict[str, Path] = Field(default_factory=dict)
    artifacts_refused: dict[str, str] = Field(default_factory=dict)
    wall_s: float = 0.0
    note: str = ""
    unexplained: bool = False
