"""What to tell someone whose wish needs a language model where none is at work."""

from __future__ import annotations

from typing import Final

KEYS: Final = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
LOCAL: Final = "OPENAI_BASE_URL"


def how_to_get_a_model() -> str:
    """A sentence that names the variables to set."""
    return (
        f"For anything else set {' or '.join(KEYS)}, or {LOCAL} for a local server, and start the services again, "
        "so that a language model can write it."
    )
