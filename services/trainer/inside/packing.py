"""Packing: the named numbers of one moment into their places in a row of float64, all in one call; NumPy's own
assignments cost more than a cheap environment's step."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np

from kit.contracts.formulas.batches import Batch
from services.trainer.inside.rows import AT, ENDED, EPISODE, FIXED, REWARD, STEP, Layout

NUMBER: Final = 8  # bytes
UNUSABLE: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, struct.error, OverflowError)
"""What an environment's names and numbers raise where they don't fit."""

Getter = Callable[[Mapping[str, Any]], tuple[Any, ...]]


class Packing:
    """pack(memory, at, *fixed, *action, *components, *state): all of a row that are numbers by themselves; what lies
    between them (the observation, vectors of the state) becomes zero and is for the caller to fill.

    components, state: named numbers -> those that are scalars, in the order of their columns.
    Whole numbers are written as such, which costs a fifth of making them floats one by one; settle() does that to many
    rows at once. Where an environment's are no ints, it is packed with whole=False, and nothing is to settle.
    """

    def __init__(self, layout: Layout, whole: bool = True) -> None:
        self._scalars = [part.name for part in layout.state if not part.shape]
        self._claimed = [part.name for part in layout.components]
        parts = [part for part in (*layout.actions, *layout.components, *layout.state) if not part.shape]
        kinds = {AT: "q", EPISODE: "q", STEP: "q", REWARD: "d", ENDED: "d"}
        kinds |= {column: "d" for part in layout.actions for column in range(part.start, part.stop)}
        kinds |= {part.start: "q" if part.whole else "d" for part in parts}
        if not whole:
            kinds = dict.fromkeys(kinds, "d")
        self.pack = struct.Struct(_format(kinds)).pack_into
        self._whole = np.array([column for column, kind in kinds.items() if kind == "q"], np.intp)
        self.components, self.state = _getter(self._claimed), _getter(self._scalars)
        self.no_action = (0,) * (layout.action.stop - FIXED)
        self.no_components = (0.0,) * len(self._claimed)

    def settle(self, rows: Batch) -> None:
        """Of these rows, which were packed: make floats of the whole numbers, in place."""
        if len(self._whole):
            rows[:, self._whole] = rows.view(np.int64)[:, self._whole]

    def no_number(self, reward: Any, components: Mapping[str, Any] | None, state: Mapping[str, Any]) -> str:
        """Which of these could not be packed, in a clause. components: None at a reset."""
        given = [("the reward", reward)] + [(name, components[name]) for name in self._claimed if components]
        for name, value in given + [(name, state[name]) for name in self._scalars]:
            try:
                float(value)
            except (TypeError, ValueError):
                return f"{name} is {str(value)[:80]!r}, which is no number"
            except OverflowError:
                break
        return "a number has no room in 64 bits"


def _format(kinds: Mapping[int, str]) -> str:
    """Of native numbers in these columns, with zeros between them."""
    parts, end = [], 0
    for place in sorted(kinds):
        parts.append(f"{NUMBER * (place - end)}x" * (place > end) + kinds[place])
        end = place + 1
    return "".join(parts)


def _getter(names: Sequence[str]) -> Getter:
    match names:
        case []:
            return lambda named: ()
        case [name]:
            return lambda named: (named[name],)
    return itemgetter(*names)
