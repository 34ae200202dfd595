"""Coding: from a typed design to the source of its environment, by whoever can: the library or a model."""

from __future__ import annotations

from typing import Protocol

from gymwright.errors import NoValidEnvironment
from kit.contracts.design import EnvDesign
from kit.contracts.records import Record
from kit.contracts.runs import Draft, Origin, OriginKind
from kit.library import WorkedProblem, worked_problems


class Written(Record):
    """source: one self-contained module with a class Environment; it parses, nothing more is known of it."""

    source: str
    origin: Origin


class Coder(Protocol):
    """Writes environments. Raises NoValidEnvironment where it can't (the message says what to do)."""

    async def write(self, design: EnvDesign) -> Written:
        """The first draft."""
        ...

    async def repair(self, design: EnvDesign, drafts: tuple[Draft, ...]) -> Written:
        """The next draft, from all the drafts so far and what was found wrong with each; oldest first, at least one."""
        ...


class LibraryCoder:
    """Serves the environment of a worked problem to whoever brings that problem's design, equal to the hash.

    advice: what someone can do who is refused, in a sentence.
    """

    def __init__(self, advice: str, problems: tuple[WorkedProblem, ...] | None = None) -> None:
        problems = worked_problems() if problems is None else problems
        self._advice = advice
        self._by_digest = {problem.design.digest: problem for problem in problems}

    async def write(self, design: EnvDesign) -> Written:
        problem = self._by_digest.get(design.digest)
        if problem is None:
            raise NoValidEnvironment(
                f"The library has no environment for the design {design.name} as it stands: it serves its own "
                f"designs only, unchanged. {self._advice}"
            )
        origin = Origin(kind=OriginKind.LIBRARY, detail=f"{problem.name}, which ships with Gymwright")
        return Written(source=problem.source, origin=origin)

    async def repair(self, design: EnvDesign, drafts: tuple[Draft, ...]) -> Written:
        findings = drafts[-1].findings if drafts else ()
        found = f" It failed: {findings[0].message}" if findings else ""
        raise NoValidEnvironment(f"The library can't repair an environment.{found} {self._advice}")
