"""render() in the candidate's own process: what it returns in each mode, and whether it only looks."""

from __future__ import annotations

import copy
import inspect
import io
from typing import Any

import numpy as np

from services.executor.inside.groups.probing import same


def _moved_by_rendering(env: Any) -> str:
    """Whether an episode with render() after every step differs from one without: where, or ""."""
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(8)]
    tapes = []
    for render in (False, False, True):
        tape = [copy.deepcopy(env.reset(seed=1)[0])]
        for action in actions:
            if render:
                env.render()
            observation, reward, terminated, truncated, _ = env.step(copy.deepcopy(action))
            tape.append((copy.deepcopy(observation), reward, terminated, truncated))
            if terminated or truncated:
                break
        tapes.append(tape)
    return "an episode with render() in it goes another way" if same(*tapes[:2]) and not same(*tapes[1:]) else ""


def _film(made: Any, frame: np.ndarray) -> list[str]:
    """What is wrong with the frames that follow this one: of another size, or the same array once more."""
    before = frame.copy()
    made.action_space.seed(0)
    for _ in range(8):
        _, _, terminated, truncated, _ = made.step(made.action_space.sample())
        if terminated or truncated:
            made.reset()
        following = made.render()
        if not isinstance(following, np.ndarray) or following.shape != frame.shape:
            return [f"frames of several sizes, {frame.shape} and {np.shape(following)}"]
        if np.shares_memory(following, frame) and not np.array_equal(before, frame):
            return ["the same array each time, so that a frame that is kept changes"]
    return []


def _undeclared(made: Any) -> list[tuple[str, str, str]]:
    """Of a render() for which no mode is declared, only that it looks on; it may do without a screen or refuse."""
    try:
        moved = _moved_by_rendering(made)
    except Exception:
        return []
    return [("None", "moved", moved)] if moved else []


def _is_image(frame: Any) -> bool:
    return isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[-1] == 3


def rendering(env: Any, kwargs: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(mode, what happened, detail) for every mode that the metadata declares; mode "None" where it declares none."""
    from gymnasium import Env

    found: list[tuple[str, str, str]] = []
    parameters = inspect.signature(type(env).__init__).parameters
    takes_mode = "render_mode" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    declared = type(env).metadata  # of a wrapper it is a property: what it wraps declares, it may not pass on
    modes = list(declared.get("render_modes", []))[:6] if isinstance(declared, dict) else []
    if not modes and type(env.unwrapped).render is not Env.render:
        found += _undeclared(type(env)(**kwargs))
    for mode in modes:
        if mode == "human":
            continue  # needs a screen
        if not takes_mode:
            found.append((str(mode), "constructor", "takes no render_mode"))
            break
        try:
            made = type(env)(**kwargs, render_mode=mode)
            made.reset(seed=0)
            frame = made.render()
            image = _is_image(frame)
            flaws = _film(made, frame) if mode == "rgb_array" and image else []
            moved = _moved_by_rendering(made)
        except Exception as problem:
            found.append((str(mode), "raised", f"{type(problem).__name__}: {problem}"[:300]))
            continue
        if moved:
            found.append((str(mode), "moved", moved))
        found += [(str(mode), "returned", flaw) for flaw in flaws]
        if mode == "rgb_array" and not image:
            shape = f" of {frame.dtype} {frame.shape}" if isinstance(frame, np.ndarray) else ""
            found.append((str(mode), "returned", f"{type(frame).__name__}{shape}"))
        if mode == "ansi" and not isinstance(frame, (str, io.StringIO)):
            found.append((str(mode), "returned", type(frame).__name__))
    return found
