"""In the candidate's own process: whether an instance can be copied, and what a copy shares; its answers are claims."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

from services.executor.inside.groups.probing import same


def copies(env: Any) -> dict[str, list[str]]:
    """Which attributes can't be pickled, or deep-copied. Of a wrapper of somebody else's only what it wraps counts."""
    while type(env).__module__.partition(".")[0] == "gymnasium" and "env" in vars(env):
        env = env.env
    if "env" in vars(env) and type(vars(env)["env"]).__module__.partition(".")[0] == "gymnasium":
        made = copy.copy(env)
        del made.env
        own, inner = copies(made), copies(env.env)
        return {way: own[way] or inner[way] for way in own}
    failing: dict[str, list[str]] = {"pickle": [], "copy": []}
    attempts: tuple[tuple[str, Callable[[Any], Any]], ...] = (("pickle", _pickled), ("copy", _copied))
    for name, attempt in attempts:
        try:
            attempt(env)
        except Exception as problem:
            failing[name].append(f"{type(problem).__name__}: {problem}"[:200])
            for key, value in vars(env).items():
                try:
                    attempt(value)
                except Exception:
                    failing[name].append(f"{key} ({type(value).__name__})")
    return failing


def copies_agree(env: Any, seed: int, actions: list[Any]) -> bool:
    """Whether two deep copies of one moment, played one after the other, go the same way."""
    env.reset(seed=seed)
    env.step(copy.deepcopy(actions[0]))
    told: list[list[Any]] = []
    for made in [copy.deepcopy(env), copy.deepcopy(env)]:
        told.append([])
        for action in actions[1:]:
            observation, reward, terminated, truncated, _ = made.step(copy.deepcopy(action))
            told[-1].append((copy.deepcopy(observation), float(reward), bool(terminated), bool(truncated)))
            if terminated or truncated:
                break
    return same(told[0], told[1])


def _copied(value: Any) -> None:
    if copy.deepcopy(value) is value and hasattr(value, "step"):
        raise TypeError("a deep copy is the same object")


def _pickled(value: Any) -> None:
    pickle.Pickler(io.BytesIO()).dump(value)
