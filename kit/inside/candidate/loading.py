"""The candidate's end: runs its source as a module, finds its class, and cuts tracebacks to its own frames."""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback
import types
from dataclasses import dataclass

FILE = "environment.py"
MODULE = "environment"
MAX_TRACEBACK = 3_000


@dataclass(frozen=True)
class Loaded:
    """The class that was found; None where the source has none, or several and none is named.

    is_env: whether it descends from gymnasium.Env. others: the classes it was chosen from.
    """

    cls: type | None
    is_env: bool
    others: tuple[str, ...]


def load(source: str, class_name: str | None) -> Loaded:
    """Run the source once, as the module "environment", and find its environment."""
    import gymnasium

    module = types.ModuleType(MODULE)
    module.__file__ = FILE
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    sys.modules[MODULE] = module
    exec(compile(source, FILE, "exec"), module.__dict__)
    own = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == MODULE]
    envs = [c for c in own if issubclass(c, gymnasium.Env)]
    stepping = envs or [c for c in own if hasattr(c, "step") and hasattr(c, "reset")]
    names = tuple(c.__name__ for c in stepping)
    wanted = [c for c in own if c.__name__ == (class_name or "Environment")]
    if not wanted and class_name is None:
        leaves = [c for c in stepping if not any(c is not other and issubclass(other, c) for other in stepping)]
        wanted = leaves if len(leaves) == 1 else _outermost(leaves)
    found = wanted[0] if wanted else None
    return Loaded(found, found is not None and issubclass(found, gymnasium.Env), names)


def _outermost(leaves: list[type]) -> list[type]:
    """Of several: the one wrapper that makes what it wraps, the one that is no wrapper, or who makes the others."""
    import gymnasium

    wrappers = [c for c in leaves if issubclass(c, gymnasium.Wrapper)]
    whole = [c for c in wrappers if _made_without_arguments(c)]
    plain = [c for c in leaves if c not in wrappers]
    if len(whole) == 1 or len(plain) == 1:
        return whole if len(whole) == 1 else plain
    names = {cls: _names_in(cls) for cls in leaves}
    makers = [c for c in leaves if any(other.__name__ in names[c] for other in leaves if other is not c)]
    return [c for c in makers if not any(c.__name__ in names[other] for other in leaves if other is not c)]


def _names_in(cls: type) -> set[str]:
    """What the methods of a class refer to by name."""
    codes = [method.__code__ for method in vars(cls).values() if inspect.isfunction(method)]
    return {name for code in codes for name in code.co_names}


def _made_without_arguments(cls: type) -> bool:
    try:
        inspect.signature(cls).bind()
    except (TypeError, ValueError):
        return False
    return True


def about(problem: BaseException) -> dict[str, object]:
    """What a raised exception is, as the pipe says it; None of it is trusted at the other end."""
    try:
        message = str(problem)[:1000]
    except Exception:
        message = "(its message raises)"
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if frame.filename == FILE]
    shown = own or frames[-2:]
    text = "".join(traceback.format_list(shown[-8:])) + f"{type(problem).__name__}: {message}"
    line = own[-1].lineno if own else None
    if isinstance(problem, SyntaxError) and problem.filename == FILE:
        line = problem.lineno
    return {
        "kind": type(problem).__name__[:100],
        "message": message.encode("utf-8", "replace").decode(),
        "traceback": text[-MAX_TRACEBACK:].encode("utf-8", "replace").decode(),
        "line": line,
    }


def own_line() -> int | None:
    """The line of the candidate that is running now, or None where none of its frames is on the stack."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            return frame.f_lineno
        frame = frame.f_back
    return None
