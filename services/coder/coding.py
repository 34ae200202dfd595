"""Coding: from a typed design to the source of its environment, by whoever can: the library or a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gymwright.errors import NoValidEnvironment
from kit.contracts.runs import CodeWritten, Origin, OriginKind
from kit.contracts.said import CodeSaid
from kit.contracts.wishes import CodeWish, RepairWish
from kit.library import WorkedProblem, worked_problems

Say = Callable[[CodeSaid], None]
"""Gets what is said on the way to the code."""


class Coder(Protocol):
    """Writes environments: one self-contained module with a class Environment; it parses, no more is known of it.

    Raises NoValidEnvironment where it can't (the message says what to do).
    """

    async def write(self, wish: CodeWish, say: Say) -> CodeSaid:
        """The first draft; says what it is writing."""
        ...

    async def repair(self, wish: RepairWish, say: Say) -> CodeSaid:
        """The next draft, from all the drafts so far and what was found wrong with each."""
        ...


class LibraryCoder:
    """Serves the environment of a worked problem to whoever brings that problem's design, equal to the hash.

    advice: what someone can do who is refused, in a sentence.
    """

    def __init__(self, advice: str, problems: tuple[WorkedProblem, ...] | None = None) -> None:
        problems = worked_problems() if problems is None else problems
        self._advice = advice
        self._by_digest = {problem.design.digest: problem for problem in problems}

    async def write(self, wish: CodeWish, say: Say) -> CodeSaid:
        problem = self._by_digest.get(wish.design.digest)
        if problem is None:
            raise NoValidEnvironment(
                f"The library has no environment for the design {wish.design.name} as it stands: it serves its own "
                f"designs only, unchanged. {self._advice}"
            )
        origin = Origin(kind=OriginKind.LIBRARY, detail=f"{problem.name}, which ships with Gymwright")
        return CodeSaid(code=CodeWritten(source=problem.source, twin=problem.twin, origin=origin))

    async def repair(self, wish: RepairWish, say: Say) -> CodeSaid:
        findings = wish.drafts[-1].findings if wish.drafts else ()
        found = f" It failed: {findings[0].message}" if findings else ""
        raise NoValidEnvironment(f"The library can't repair an environment.{found} {self._advice}")
