"""Loading: the module runs, the class is found, and it can be constructed again and again."""

from __future__ import annotations

from collections.abc import Iterator

from kit.contracts.findings import Finding
from kit.inside.candidate import Candidate, LoadedClass
from services.executor.inside.catalogue import define
from services.executor.inside.groups import probing
from services.executor.inside.groups.names import compared
from services.executor.inside.subject import PATIENCE_S, Subject

LOADS = define(
    "code.loads",
    proves="The module runs when imported.",
    example="WEIGHTS = [1, 2][3]",
    remedy="Make the module import without an exception.",
)
CLASS = define(
    "code.class",
    proves="The module defines one environment, a subclass of gymnasium.Env.",
    example="class Environment:",
    remedy="Define `class Environment(gymnasium.Env)`.",
)
CONSTRUCTS = define(
    "code.constructs",
    proves="The environment can be constructed with its documented arguments, and needs no file or service for it.",
    example="self.prices = numpy.loadtxt('prices.csv')",
    remedy="Make the constructor self-contained, taking the design's parameters as keyword arguments.",
)


def check_loading(subject: Subject) -> Iterator[Finding]:
    """Import, class, constructor, in a process of the candidate's own."""
    with Candidate.start(PATIENCE_S) as candidate:
        loaded = candidate.load(subject.source, subject.class_name)
        if not isinstance(loaded, LoadedClass):
            yield LOADS.of(loaded, "importing the module failed")
            return
        subject.loaded = loaded
        if loaded.name is None:
            wanted = f" named {subject.class_name}" if subject.class_name else ""
            several = f"; it has {', '.join(loaded.others)}: say which" if loaded.others else ""
            yield CLASS.error(f"the module has no single gymnasium.Env subclass{wanted}{several}")
            return
        subject.class_name = loaded.name
        if not loaded.is_env:
            yield CLASS.error(f"{loaded.name} is not a subclass of gymnasium.Env")
        trouble = candidate.make(0, subject.kwargs)
        if trouble is not None:
            called = "the design's parameters as keyword arguments" if subject.kwargs else "no arguments"
            yield CONSTRUCTS.of(trouble, f"constructing {loaded.name} with {called} failed")
            return
        found = candidate.probe(f"{probing.__name__}.constants", env=0, compared=sorted(compared(subject)))
        if hasattr(found, "entries"):
            subject.attributes = {
                str(name.plain): float(value.plain)
                for name, value in found.entries
                if isinstance(value.plain, (int, float))
            }
