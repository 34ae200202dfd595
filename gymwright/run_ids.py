"""Ids of runs: chosen by the client, so that starting a run can be repeated safely."""

from __future__ import annotations

import re
import secrets
import unicodedata
from typing import Final

from gymwright.errors import RequestWrong

RUN_ID: Final = re.compile(r"[a-z0-9-]{8,64}")
_LETTERS: Final = "23456789abcdefghjkmnpqrstvwxyz"  # none that is mistaken for another
_EMPTY_WORDS: Final = frozenset({"and", "for", "from", "into", "that", "the", "their", "with"})


def new_run_id(problem: str) -> str:
    """A fresh id that a person recognises, e.g. "optimise-hospital-shift-7kq2mx"."""
    plain = unicodedata.normalize("NFKD", problem[:400]).encode("ascii", "ignore").decode().lower()
    words = [word for word in re.findall(r"[a-z0-9]+", plain) if len(word) > 2 and word not in _EMPTY_WORDS]
    start = "-".join(word[:12] for word in words[:3]) or "run"
    return f"{start}-{''.join(secrets.choice(_LETTERS) for _ in range(6))}"


def checked_run_id(run_id: str) -> str:
    """The id itself; RequestWrong where it can't be one, so that it never becomes a path."""
    if not RUN_ID.fullmatch(run_id):
        raise RequestWrong(f"{run_id[:80]!r} is not the id of a run; `gymwright list` shows them.")
    return run_id
