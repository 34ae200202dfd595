"""What to tell someone whose wish needs a language model where none is at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KEYS: Final = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")


def how_to_get_a_model(environment: Mapping[str, str]) -> str:
    """A sentence that names the variables to set; it never shows a value."""
    present = [key for key in KEYS if environment.get(key)]
    if present:
        return f"{present[0]} is set, but this version can't talk to a language model yet."
    return f"For anything else set {' or '.join(KEYS)}, so that a language model can write it."
