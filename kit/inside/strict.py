"""Strict JSON objects, for both ends of a channel that nobody trusts."""

from __future__ import annotations

import json
import math

MAX_DEPTH = 32


class NotStrict(ValueError):
    """The bytes are not one strict JSON object with a kind."""


def strict_object(line: bytes) -> dict[str, object]:
    """The JSON object in `line`: no NaN, no Infinity (1e999 is one), no lone surrogate, bounded depth."""
    try:
        found = json.loads(line, parse_constant=_no_constant, parse_float=_finite)
        if b"\\" in line:  # only an escape can bring in half a character
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        raise NotStrict(f"not strict JSON: {str(problem)[:200]}") from None
    if not isinstance(found, dict):
        raise NotStrict("not a JSON object")
    # Counting brackets is cheap and settles nearly every line; only a busy one is walked.
    if line.count(b"{") + line.count(b"[") > MAX_DEPTH and _depth(found) > MAX_DEPTH:
        raise NotStrict(f"nested deeper than {MAX_DEPTH}")
    return found


def strict_said(line: bytes) -> dict[str, object]:
    """A strict object that an entry may say: it has a kind, and the kind is text."""
    found = strict_object(line)
    if not isinstance(found.get("kind"), str):
        raise NotStrict("no kind")
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a finite number")
    return number


def _depth(root: object) -> int:
    deepest, level = 0, [root]
    while level:
        deepest += 1
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
        level = [value for value in below if isinstance(value, (dict, list))]
    return deepest
