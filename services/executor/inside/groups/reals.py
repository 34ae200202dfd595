"""In the candidate's own process: which real numbers the simulation computes with; its answers are claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def reals(env: Any, seed: int, actions: list[Any]) -> list[str]:
    """Attributes with a real number, or array of them, that took another value in most of these steps.

    Not those that hold the reward, or the sum of all so far.
    """
    env.reset(seed=seed)
    values: dict[str, list[np.ndarray]] = {}
    rewards: list[float] = []
    for action in actions:
        _, reward, terminated, truncated, _ = env.step(action)
        rewards.append(float(reward))
        for name, value in _reals_of(env.unwrapped):
            values.setdefault(name, []).append(value)
        if terminated or truncated:
            env.reset()
    many = {name: kept for name, kept in values.items() if len({v.tobytes() for v in kept}) > 0.5 * len(actions) >= 4}
    return [name for name, kept in many.items() if not _is_pay(kept, rewards)][:20]


def _is_pay(kept: list[np.ndarray], rewards: list[float]) -> bool:
    if any(value.size != 1 for value in kept) or len(kept) != len(rewards):
        return False
    numbers = np.array([float(value) for value in kept])
    as_paid = np.isclose(numbers, rewards).mean(), np.isclose(np.diff(numbers), rewards[1:]).mean()
    return bool(max(as_paid) > 0.8)


def _reals_of(env: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Real numbers on the instance, and on what it holds one level down."""
    own = vars(env)
    held = {key: value for key, value in own.items() if key != "_np_random"}
    below = {f"{key}.{name}": value for key, inner in held.items() for name, value in _fields(inner)}
    for name, value in {**own, **below}.items():
        array = np.array(value) if isinstance(value, (float, np.floating, np.ndarray)) else None
        if array is not None and array.dtype.kind == "f" and array.size and np.any(array != np.round(array)):
            yield name, array


def _fields(value: Any) -> list[tuple[str, Any]]:
    slots = [name for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]
    return [*getattr(value, "__dict__", {}).items(), *((name, getattr(value, name)) for name in slots)]
