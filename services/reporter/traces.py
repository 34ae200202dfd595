"""Traces: one test episode of the trained policy and of the best rule, step by step, read back from trace.csv."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from math import isfinite, nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kit.artifacts import ArtifactStore
from services.reporter.claims import read_file

FILE: Final = "trace.csv"
MOST_ROWS: Final = 10_000
Column = NDArray[np.float64]


@dataclass(frozen=True)
class Traced:
    """columns: by name, one value a step, NaN where there is none."""

    policy: str
    seed: int
    columns: dict[str, Column]


async def read_traces(store: ArtifactStore, run_id: str) -> tuple[Traced, ...]:
    """Policy after policy, the trained one first; none where the file is missing or not what we expect."""
    content = await read_file(store, run_id, FILE)
    try:
        head, *rows = list(csv.reader(io.StringIO(content.decode())))[: MOST_ROWS + 1]
    except (ValueError, csv.Error):
        return ()
    if head[:3] != ["policy", "seed", "step"] or any(len(row) != len(head) for row in rows):
        return ()
    found = []
    for policy in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == policy]
        columns = {name: np.array([_number(row[at]) for row in own]) for at, name in enumerate(head) if at >= 2}
        found.append(Traced(policy, int(_number(own[0][1])) if isfinite(_number(own[0][1])) else 0, columns))
    return tuple(found)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return nan
    return value if isfinite(value) else nan
