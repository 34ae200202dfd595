"""In the candidate's own process: what counts on over resets, and whether it matters once it has counted far."""

from __future__ import annotations

import copy
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from services.executor.inside.groups.probing import same

FAR = 10**9


@dataclass(frozen=True)
class Counter:
    """A number that outlives a reset: what holds it, and how it is read and set."""

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], None]


def aged(env: Any, seed: int, actions: list[Any]) -> list[str]:
    """The counters that go on over resets, where an episode is another one once they are large; else []."""
    env.reset(seed=seed)
    before = {counter.name: _reading(counter.read()) for counter in _counters(env)}
    young = [_played(env, seed, actions) for _ in range(2)]
    env.reset(seed=seed)
    lasting = [c for c in _counters(env) if _reading(c.read()) != before.get(c.name)]
    if not lasting or not same(*young):
        return []
    for counter in lasting:
        value = counter.read()
        counter.write(itertools.count(FAR) if isinstance(value, itertools.count) else value + FAR)
    try:
        old = _played(env, seed, actions)
    except Exception:  # a number that names something is none to play with
        return []
    return [] if same(young[0], old) else [counter.name for counter in lasting]


def _played(env: Any, seed: int, actions: list[Any]) -> list[Any]:
    tape = [copy.deepcopy(env.reset(seed=seed)[0])]
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(copy.deepcopy(action))
        tape.append((copy.deepcopy(observation), reward, terminated, truncated))
        if terminated or truncated:
            break
    return tape


def _reading(value: Any) -> Any:
    return repr(value) if isinstance(value, itertools.count) else value


def _number(value: Any) -> Any:
    """Of a number or an itertools.count itself, else None."""
    return value if type(value) in (int, float, itertools.count) else None


def _counters(env: Any) -> Iterator[Counter]:
    """Of the instance, its class and its module; there also in lists, dicts and default arguments."""
    made = env
    while True:  # a wrapper's, and those of what it wraps
        own = type(made).__module__
        yield from _of_object(made, f"self of {type(made).__name__}")
        for cls in type(made).__mro__:
            if cls.__module__ == own:
                yield from _of_object(cls, cls.__name__)
        inner = vars(made).get("env")
        if inner is None or inner is made:
            break
        made = inner
    module = sys.modules.get(type(env).__module__)
    if module is not None:
        yield from _of_object(module, "the module")


def _of_object(holder: Any, name: str) -> Iterator[Counter]:
    for key, value in list(vars(holder).items()):
        if key.startswith("__"):
            continue
        if _number(value) is not None:
            yield Counter(
                f"{key} of {name}",
                lambda key=key: vars(holder).get(key),  # type: ignore[misc]
                lambda new, key=key: setattr(holder, key, new),  # type: ignore[misc]
            )
        held: list[Any] = [value]
        if isinstance(value, FunctionType):
            held = [*(value.__defaults__ or ()), *(cell.cell_contents for cell in value.__closure__ or ())]
        for container in held:
            yield from _of_container(container, f"{key} of {name}")


def _of_container(container: Any, name: str) -> Iterator[Counter]:
    places = range(len(container)) if isinstance(container, list) else container if isinstance(container, dict) else ()
    for place in list(places)[:20]:
        if _number(container[place]) is not None:
            yield Counter(
                f"{name}[{place!r}]",
                lambda place=place: container[place],  # type: ignore[misc]
                lambda new, place=place: container.__setitem__(place, new),  # type: ignore[misc]
            )
