"""In the candidate's own process: whether the step that ends an episode begins the next one."""

from __future__ import annotations

import ast
import linecache
import sys
from collections import Counter
from types import FrameType
from typing import Any

from kit.inside.candidate.loading import FILE


def restarts(env: Any, seed: int, actions: list[Any]) -> str:
    """The method by which reset() makes a new episode, where steps that end one, and no others, call it too; or "".

    It must set at least half of what reset() and the methods under it set on the instance.
    """
    ending: Counter[str] = Counter()
    going: set[str] = set()
    during_reset = _called(env.reset, seed=seed)[0]
    for action in actions:
        names, answer = _called(env.step, action)
        if answer[2] or answer[3]:
            ending.update(names)
            during_reset &= _called(env.reset)[0]
        else:
            going |= names
    sets = _sets()
    made = set().union(*(sets.get(name, set()) for name in {"reset", *during_reset}))
    shared = {name for name, times in ending.items() if times > 1} & during_reset - going
    found = [name for name in sorted(shared) if made and len(sets.get(name, set())) >= 0.5 * len(made)]
    return found[0] if found else ""


def _called(method: Any, *args: Any, **kwargs: Any) -> tuple[set[str], Any]:
    """The names of the candidate's own functions that a call runs, and what it returns."""
    names: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename == FILE:
            names.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        answer = method(*args, **kwargs)
    finally:
        sys.setprofile(None)
    return names, answer


def _sets() -> dict[str, set[str]]:
    """By method of the candidate's module: the attributes of self that it sets."""
    found: dict[str, set[str]] = {}
    for method in (
        node for node in ast.walk(ast.parse("".join(linecache.getlines(FILE)))) if isinstance(node, ast.FunctionDef)
    ):
        stored = (n for n in ast.walk(method) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
        names = {n.attr for n in stored if isinstance(n.value, ast.Name) and n.value.id == "self"}
        found.setdefault(method.name, set()).update(names)
    return found
