"""In the candidate's own process: whether what is not its own is what it was; its answers are claims."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

_OTHERS = ("kit", "services", "numpy", "gymnasium", "stable_baselines3", "builtins", "math", "random", "time", "copy")
_METHODS_OF = ("kit", "services", "numpy", "gymnasium", "stable_baselines3")
_modules: list[ModuleType] = []
_before: dict[str, object] = {}


def remember(subject: Any) -> int:
    """Before the candidate is loaded. How many things there are."""
    _modules.extend(
        module
        for name, module in sorted(sys.modules.items())
        if name.partition(".")[0] in _OTHERS and isinstance(module, ModuleType)
    )
    _before.update(_belongings())
    return len(_before)


def changed(env: Any) -> list[str]:
    """The names of what was exchanged since, or is gone."""
    now = dict(_belongings())
    return [name for name, was in _before.items() if now.get(name) is not was][:20]


def _belongings() -> Iterator[tuple[str, object]]:
    """Functions and classes of modules, methods of classes, and the code of both."""
    for module in _modules:
        for key, value in list(vars(module).items()):
            if callable(value) and not key.startswith("__"):
                yield from _parts(f"{module.__name__}.{key}", value)


def _parts(name: str, value: object) -> Iterator[tuple[str, object]]:
    yield name, value
    if isinstance(value, FunctionType):
        yield f"the code of {name}", value.__code__
    elif isinstance(value, type) and str(value.__module__).partition(".")[0] in _METHODS_OF:
        for key, method in list(vars(value).items()):
            if isinstance(method, (FunctionType, property, classmethod, staticmethod)):
                yield f"{name}.{key}", method
                if isinstance(method, FunctionType):
                    yield f"the code of {name}.{key}", method.__code__
