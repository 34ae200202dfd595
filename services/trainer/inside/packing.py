"""Packing: named numbers into their places in a row of float64, neighbours in one call; NumPy's own assignments cost
more than a cheap environment's step."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from services.trainer.inside.rows import Part

NUMBER: Final = 8  # bytes
UNUSABLE: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, struct.error, OverflowError)
"""What an environment's names and numbers raise where they don't fit."""


class Runs:
    """The scalars among `parts`, as runs of neighbours."""

    def __init__(self, parts: Iterable[Part]) -> None:
        runs: list[list[Part]] = []
        for part in parts:
            if part.shape:
                continue
            if not runs or runs[-1][-1].stop != part.start:
                runs.append([])
            runs[-1].append(part)
        self._names = [part.name for run in runs for part in run]
        self._runs = [(_getter(run), struct.Struct(f"{len(run)}d").pack_into, NUMBER * run[0].start) for run in runs]

    def write(self, rows: Any, at: int, named: Mapping[str, Any]) -> None:
        """rows: the block's memory; at: where the row starts in it, in bytes. Raises one of UNUSABLE."""
        try:
            for get, pack, offset in self._runs:
                pack(rows, at + offset, *get(named))
        except struct.error:
            raise TypeError(self._no_number(named)) from None

    def _no_number(self, named: Mapping[str, Any]) -> str:
        for name in self._names:
            try:
                float(named[name])
            except (TypeError, ValueError):
                return f"{name} is {str(named[name])[:80]!r}, which is no number"
        return "a number has no room in 64 bits"


def _getter(run: Sequence[Part]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if len(run) == 1:
        name = run[0].name
        return lambda named: (named[name],)
    return itemgetter(*[part.name for part in run])
