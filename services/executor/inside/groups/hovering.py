"""In the candidate's own process: how much an episode pays to whom never finishes it."""

from __future__ import annotations

import copy
from typing import Any


def hover(env: Any, seed: int, before: list[Any], choices: list[Any], steps: int) -> dict[str, float]:
    """Play `before`, then in every step what pays most of the choices that don't end the episode.

    Returns what was paid since, in how many steps; fewer than `steps` where every choice ends it.
    """
    env.reset(seed=seed)
    for action in before:
        env.step(action)
    paid, taken = 0.0, 0
    for _ in range(steps):
        best: tuple[float, bool, Any] | None = None
        for action in choices:
            tried = copy.deepcopy(env)
            _, reward, terminated, truncated, _ = tried.step(action)
            if not terminated and (best is None or float(reward) > best[0]):
                best = float(reward), bool(truncated), tried
        if best is None:
            break
        paid, taken, env = paid + best[0], taken + 1, best[2]
        if best[1]:
            break
    return {"paid": paid, "steps": taken}
