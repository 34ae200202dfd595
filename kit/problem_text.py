"""Which texts can be a problem, or an answer to a question, and what to do about those that can't."""

from __future__ import annotations

import unicodedata
from typing import Final

from gymwright.errors import ProblemRejected, RequestWrong

MAX_CHARACTERS: Final = 20_000


def problem_text(problem: str) -> str:
    """The problem without the white space around it. ProblemRejected where it is empty, too long or not words."""
    text = _plain(problem, "problem", "Say what the agent should learn", ProblemRejected)
    if not any(character.isalpha() for character in text):
        raise ProblemRejected("The problem holds no words; say in a sentence what should be learned.")
    return text


def answer_text(answer: str) -> str:
    """The same for an answer, which may be a bare number. RequestWrong."""
    return _plain(answer, "answer", "Say what the question asks for", RequestWrong)


def _plain(given: str, what: str, remedy: str, error: type[RequestWrong]) -> str:
    text = given.strip()
    if not text:
        raise error(f"The {what} is empty. {remedy} in a sentence.")
    if len(text) > MAX_CHARACTERS:
        raise error(f"The {what} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read. Use fewer words.")
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\r\t\f" for character in text):
        raise error(f"The {what} is not plain text: it holds control characters. Send words, not a file.")
    return text
