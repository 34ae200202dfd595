"""Evidence: where something was seen, and, where it fits on a line, the shortest way to see it again."""

from __future__ import annotations

import numpy as np

from kit.inside.candidate import Trajectories

MOST_NUMBERS = 24  # of all actions on the way together


def earliest(played: Trajectories, rows: np.ndarray) -> int:
    """Of the rows that are True, the one with the fewest steps before it."""
    chosen = np.flatnonzero(rows)
    return int(chosen[np.argmin(played.step[chosen])])


def placed(policy: str, played: Trajectories, row: int) -> str:
    """Policy, seed, step and action; then the actions from reset(seed=...) to there, if they are few.

    Numbers are exact for actions of float32 and of whole numbers.
    """
    seed, step = played.seeds[int(played.episode[row])], int(played.step[row])
    said = f"policy {policy}, seed {seed}, step {step}, action {_shown(played.actions[row])}"
    way = played.actions[row - step : row + 1]
    if step and way.size <= MOST_NUMBERS:
        said += f"; reset(seed={seed}), then step() with {', '.join(map(_shown, way))}"
    return said


def _shown(action: np.ndarray) -> str:
    numbers = [str(int(n)) if float(n).is_integer() else str(np.float32(n)) for n in action[:12]]
    more = ", ..." if len(action) > 12 else ""
    return numbers[0] if len(action) == 1 else f"[{', '.join(numbers)}{more}]"
