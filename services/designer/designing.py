"""Designing: from a problem in plain words to a typed design, by whoever can: the library or a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gymwright.errors import NoSuitableProblem, NoValidDesign
from kit.contracts.runs import DesignWritten, Origin, OriginKind
from kit.contracts.said import DesignSaid
from kit.contracts.wishes import DesignWish, RevisionWish
from kit.library import Match, WorkedProblem, nearest, worked_problems
from kit.problem_text import problem_text

Say = Callable[[DesignSaid], None]
"""Gets what is said on the way to the answer."""


class Designer(Protocol):
    """Turns problems into designs that pass the linter.

    Raises ProblemRejected for what is no problem text, NoSuitableProblem or NoValidDesign where no
    design came out (the message says what to do), ServiceUnavailable where trying again may help.
    """

    async def design(self, wish: DesignWish, say: Say) -> DesignSaid:
        """A design for the problem and where it came from, one question, or an advice; says what it is writing."""
        ...

    async def revise(self, wish: RevisionWish, say: Say) -> DesignSaid:
        """The design, changed as little as the findings ask for."""
        ...


class LibraryDesigner:
    """Answers with the nearest worked problem, and says which and how near; refuses what none is near to.

    advice: what someone can do who is refused, in a sentence.
    """

    def __init__(self, advice: str, problems: tuple[WorkedProblem, ...] | None = None) -> None:
        self._advice = advice
        self._problems = worked_problems() if problems is None else problems

    async def design(self, wish: DesignWish, say: Say) -> DesignSaid:
        match = nearest(problem_text(wish.problem), self._problems)
        if not match.near_enough:
            raise NoSuitableProblem(self._refusal(match))
        return DesignSaid(design=DesignWritten(design=match.problem.design, origin=_origin(match)))

    async def revise(self, wish: RevisionWish, say: Say) -> DesignSaid:
        found = wish.findings[0].message if wish.findings else "a finding"
        raise NoValidDesign(f"The library's designs can't be revised, and this one was faulted: {found} {self._advice}")

    def _refusal(self, match: Match) -> str:
        covered = ", ".join(problem.about for problem in self._problems)
        return (
            f"No worked problem is near enough to this one. The library covers: {covered}; the nearest is "
            f"{match.problem.name} (similarity {match.similarity:.2f}). {self._advice}"
        )


def _origin(match: Match) -> Origin:
    return Origin(
        kind=OriginKind.LIBRARY,
        detail=(
            f"{match.problem.name}, which ships with Gymwright (similarity {match.similarity:.2f}); "
            "the numbers are its own, also where yours differ"
        ),
        similarity=match.similarity,
    )
