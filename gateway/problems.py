"""Problems: which texts can be a problem, and what to do about those that can't."""

from __future__ import annotations

import unicodedata
from typing import Final

from gymwright.errors import ProblemRejected

MAX_CHARACTERS: Final = 20_000


def checked_problem(problem: str) -> str:
    """The problem without the white space around it."""
    text = problem.strip()
    if not text:
        raise ProblemRejected('The problem is empty. Say what the agent should learn, e.g. "balance a pole on a cart".')
    if len(text) > MAX_CHARACTERS:
        raise ProblemRejected(
            f"The problem has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read. Say it in fewer words."
        )
    if any(unicodedata.category(character) == "Cc" and character not in "\n\r\t\f" for character in text):
        raise ProblemRejected("The problem is not plain text: it holds control characters. Send words, not a file.")
    return text
