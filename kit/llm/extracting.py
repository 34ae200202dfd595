"""Extracting: the JSON object in an answer, whatever was said around it."""

from __future__ import annotations

import json
from typing import Final

MOST_TRIED: Final = 200  # openings of objects; an answer with more is no answer


def json_object(text: str) -> str:
    """The longest JSON object in the text, or the text from its first brace on where none is whole."""
    decoder = json.JSONDecoder()
    best, begin, tried = "", text.find("{"), 0
    first = begin
    while begin >= 0 and tried < MOST_TRIED:
        tried += 1
        try:
            _, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            begin = text.find("{", begin + 1)
            continue
        best = max(best, text[begin:end], key=len)
        begin = text.find("{", end)
    return best or text[max(first, 0) :]
