"""What is looked up inside the candidate's own process; its answers are the candidate's claims, no more.

Each function is called there by its dotted path (Candidate.probe) on an instance.
"""

from __future__ import annotations

import copy
import re
import resource
import sys
import time
import warnings
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

LARGE = 2000  # more than the steps that are played anyway
_LIMIT_NAME = re.compile(
    r"(max|limit|horizon|length|n|num|total|episode|time).*(step|length|horizon|limit|turn|round|len)"
    r"|(max|limit).*(week|day|hour|minute|second|tick|move|month|year|period|trial|time|iter)"
    r"|(step|turn|round|day|hour|tick|move)s?_?(limit|max|per_episode)$|(horizon|time_limit|timelimit|max_t|steps|duration|episode_length)$",
    re.IGNORECASE,
)


def constants(env: Any, compared: list[str]) -> dict[str, float]:
    """Numbers whose names sound like an episode's length: of the instance, its class and its module.

    compared: names that stand in comparisons; a large number of such a name may be one, whatever it sounds like.
    """
    found: dict[str, float] = {}
    places: list[Mapping[str, Any]] = (
        [vars(sys.modules[type(env).__module__])] if type(env).__module__ in sys.modules else []
    )
    places += [vars(cls) for cls in reversed(type(env).__mro__) if cls.__module__ == type(env).__module__]
    places.append(getattr(env, "__dict__", {}))
    # A number of records is no number of steps: between n records lie n - 1.
    records = {
        len(value)
        for place in places
        for value in place.values()
        if isinstance(value, (list, np.ndarray)) and np.ndim(value)
    }
    for place in places:
        for name, value in list(place.items()):
            if not isinstance(value, int) or isinstance(value, bool) or value in records or len(found) == 50:
                continue
            if _LIMIT_NAME.search(name) or (name in compared and value > LARGE):
                found[str(name)] = float(value)
    return found


def peer(env: Any, which: str, kwargs: dict[str, Any]) -> dict[str, object]:
    """Gymnasium's or Stable-Baselines3's own check_env on a fresh instance: its failure and its warnings."""
    made = type(env)(**kwargs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        failure = ""
        try:
            if which == "gymnasium":
                from gymnasium.utils.env_checker import check_env

                check_env(made.unwrapped, skip_render_check=True)  # it refuses to judge wrappers
            else:
                from stable_baselines3.common.env_checker import check_env as sb3_check_env

                sb3_check_env(made, warn=True, skip_render_check=True)
        except Exception as problem:
            failure = f"{type(problem).__name__}: {problem}"[:1000]
    return {"failure": failure, "warnings": list(dict.fromkeys(str(w.message)[:500] for w in caught))[:10]}


def kept(env: Any, seed: int, actions: list[Any]) -> list[str]:
    """Play while keeping what is returned; say what changed afterwards, and whether an action was changed."""
    held: list[tuple[str, Any, Any]] = []
    changed: list[str] = []

    def keep(what: str, value: Any) -> None:
        held.append((what, value, copy.deepcopy(value)))

    observation, info = env.reset(seed=seed)
    keep("the observation of reset()", observation)
    keep("the info of reset()", info)
    for step, action in enumerate(actions):
        before = copy.deepcopy(action)
        observation, _, terminated, truncated, info = env.step(action)
        if not same(before, action):
            changed.append("action")
        keep(f"the observation of step {step}", observation)
        keep(f"the info of step {step}", info)
        if terminated or truncated:
            break
    observation, _ = env.reset(seed=seed + 1)
    changed += [what for what, value, then in held if not same(value, then)]
    return changed[:20]


def shared(env: Any, seed: int, actions: list[Any]) -> str:
    """Whether writing into what reset() or step() returned changes what the environment does: where, or "".

    Played twice without writing first: what differs by itself says nothing.
    """
    tapes = []
    for write in (False, False, True):
        observation, _ = env.reset(seed=seed)
        tape = []
        for action in actions:
            if write:
                _overwrite(observation)
            observation, reward, terminated, truncated, _ = env.step(copy.deepcopy(action))
            tape.append((copy.deepcopy(observation), reward, terminated, truncated))
            if terminated or truncated:
                break
        tapes.append(tape)
    if not same(tapes[0], tapes[1]):
        return ""
    for place, (one, other) in enumerate(zip(*tapes[1:], strict=False)):
        if not same(one, other):
            return f"step {place}"
    return ""


def _overwrite(observation: Any) -> None:
    for array in observation.values() if isinstance(observation, dict) else (observation,):
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = 0 if array.any() else 1


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    try:
        return bool(np.array_equal(one, other, equal_nan=True))
    except TypeError:
        return bool(np.array_equal(one, other))


def resets_itself(env: Any, seed: int, actions: list[Any]) -> int:
    """The step (from 0) in which step() called reset(), or -1."""
    inner, outside = env.reset, [True]

    def counting(*args: Any, **kwargs: Any) -> Any:
        outside[0] = False
        return inner(*args, **kwargs)

    env.reset = counting
    try:
        inner(seed=seed)
        for step, action in enumerate(actions):
            outside[0] = True
            _, _, terminated, truncated, _ = env.step(action)
            if not outside[0]:
                return step
            if terminated or truncated:
                inner()
    finally:
        del env.reset
    return -1


def accumulates(env: Any, seed: int, actions: list[Any]) -> str:
    """The attribute whose value is returned as the reward and carried from step to step, or "".

    Found by changing it: a running total moves the next reward by as much as it was moved.
    """
    names = _totals(env, seed, actions)
    for name in names:
        rewards = []
        for shift in (0.0, 64.0):
            env.reset(seed=seed)
            for action in actions[:2]:
                env.step(action)
            value = getattr(env, name)
            setattr(env, name, [*value, shift] if isinstance(value, list) else value + shift)
            rewards.append(float(env.step(actions[2])[1]))
        if abs(rewards[1] - rewards[0] - 64.0) < 1e-6:
            return name
    return ""


def _totals(env: Any, seed: int, actions: list[Any]) -> list[str]:
    env.reset(seed=seed)
    names: set[str] | None = None
    for action in actions[:3]:
        _, reward, terminated, truncated, _ = env.step(action)
        same = {
            name
            for name, value in vars(env).items()
            if (total := _total(value)) is not None and abs(total - reward) < 1e-9
        }
        names = same if names is None else names & same
        if terminated or truncated:
            return []
    return sorted(names or ())


def _total(value: Any) -> float | None:
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, list) and value and all(isinstance(v, (int, float)) for v in value):
        return float(sum(value))
    return None


def quickest(env: Any, seed: int, actions: list[Any]) -> float:
    """Seconds of the quickest of these steps."""
    env.reset(seed=seed)
    best = float("inf")
    for action in actions:
        began = time.perf_counter()
        _, _, terminated, truncated, _ = env.step(action)
        best = min(best, time.perf_counter() - began)
        if terminated or truncated:
            env.reset()
    return best


def endurance(env: Any, seed: int, actions: list[Any], steps: int, budget_s: float) -> dict[str, object]:
    """Many steps in one process: CPU seconds a step in four quarters, and what has grown by then."""
    times: list[float] = []
    env.reset(seed=seed)
    first, resident = _sizes(env), _resident()
    ends = time.monotonic() + budget_s
    for step in range(steps):
        began = time.process_time()
        _, _, terminated, truncated, _ = env.step(actions[step % len(actions)])
        times.append(time.process_time() - began)
        if terminated or truncated:
            env.reset()
        if step % 16 == 0 and time.monotonic() > ends:
            break
    env.reset()  # what it clears here has not grown
    last = _sizes(env)
    taken = len(times)
    quarter = max(1, taken // 4)
    grown = {name: size for name, size in last.items() if size - first.get(name, 0) >= 0.9 * taken}
    return {
        "steps": taken,
        "quarters": [float(np.median(times[i * quarter : (i + 1) * quarter] or [0.0])) for i in range(4)],
        "grown": grown,
        "resident": _resident() - resident,
    }


def _resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _sizes(env: Any) -> dict[str, int]:
    places: dict[str, Any] = {**vars(sys.modules[type(env).__module__]), **vars(type(env)), **vars(env)}
    return {
        name: len(value) for name, value in places.items() if isinstance(value, (list, dict, set, bytearray, deque))
    }
