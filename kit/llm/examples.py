"""Examples: the worked problem nearest to what is asked, to show a model what a good answer looks like."""

from __future__ import annotations

from collections.abc import Callable

from kit.library import WorkedProblem, nearest, worked_problems


def nearest_within(asked: str, shown: Callable[[WorkedProblem], str], most_characters: int) -> WorkedProblem | None:
    """The nearest of those whose text, as it would be shown, is short enough; None where none is."""
    fitting = tuple(problem for problem in worked_problems() if len(shown(problem)) <= most_characters)
    return nearest(asked, fitting).problem if fitting else None
