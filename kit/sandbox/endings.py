"""How a job ended, decided from what was heard and what we did. Pure: no clock, no engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kit.contracts.records import JsonObject
from kit.sandbox.jobs import Ending, JobResult


@dataclass
class Heard:
    """Everything that came out of a box, in order; grows while the box works."""

    said: list[JsonObject] = field(default_factory=list)
    output: bytes = b""
    output_dropped: int = 0
    artifacts: dict[str, Path] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    ended: bool = False  # the runner said how it ended; without that, nothing was a success
    exit_code: int | None = None
    overran: bool = False
    out_of_memory: bool = False
    trouble: str = ""
    disobeyed: bool = False  # what came was not what a runner of ours says


def result_of(heard: Heard, stopped_by_us: bool, out_of_memory: bool, wall_s: float) -> JobResult:
    """The JobResult. stopped_by_us: at the wall-clock limit; 137 alone could not tell."""
    ending, note = Ending.EXITED, heard.trouble
    if stopped_by_us or heard.overran:
        ending = Ending.OVERRAN
    elif out_of_memory or heard.out_of_memory:
        ending = Ending.OUT_OF_MEMORY
    elif not heard.ended:
        ending, note = Ending.KILLED, note or "the box ended without saying how"
    elif note or heard.exit_code is None or heard.exit_code < 0:
        ending = Ending.KILLED
    worked = ending is Ending.EXITED and heard.exit_code == 0
    last = heard.said[-1] if heard.said else {}
    return JobResult(
        ending=ending,
        exit_code=heard.exit_code,
        said=tuple(heard.said),
        result=last if worked and last.get("kind") == "result" else None,
        output=heard.output.decode(errors="replace"),
        output_dropped=heard.output_dropped,
        artifacts=heard.artifacts,
        artifacts_refused=heard.refused,
        wall_s=wall_s,
        note=note,
        unexplained=ending is Ending.KILLED and not (heard.ended or heard.disobeyed),
    )
