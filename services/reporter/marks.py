"""Marks: text, numbers and tables as Markdown; whatever users, models or candidates wrote is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import floor, log10
from typing import Final

from kit.contracts.outcomes import Interval

MARKUP: Final = re.compile(r"([\\`*\[\]<>#|~$&]|(?<![^\W_])_|_(?![^\W_]))")  # "_" inside a word is none
AT_THE_START: Final = re.compile(r"^([-+=]|\d+(?=[.)]))")
MOST_CHARACTERS: Final = 600
NOTHING: Final = "–"


def inline(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text as one line in which nothing is markup."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    cut = line if len(line) <= most else line[: most - 1] + "…"
    escaped = MARKUP.sub(r"\\\1", cut)
    return AT_THE_START.sub(lambda found: f"\\{found[1]}" if found[1] in "-+=" else f"{found[1]}\\", escaped)


def code(text: str) -> str:
    """A code span that stays one, also in a table."""
    line = " ".join(text.split()).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{ticks}{pad}{line}{pad}{ticks}" if line else NOTHING


def number(value: float | None) -> str:
    """At most four significant digits, thousands apart; whole numbers whole."""
    if value is None:
        return NOTHING
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", "−")
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def change(first: float, last: float) -> float:
    """The difference, as exact as the larger of the two is shown."""
    largest = max(abs(first), abs(last))
    return round(last - first, 3 - floor(log10(largest))) if largest > 0 else 0.0


def signed(value: float) -> str:
    return number(value) if value <= 0 else f"+{number(value)}"


def interval(measured: Interval | None) -> str:
    """Mean, and the bounds of its interval."""
    if measured is None:
        return NOTHING
    return f"{number(measured.mean)} ({number(measured.low)} to {number(measured.high)})"


def unit(text: str) -> str:
    """A unit to put after a name: nothing for a pure number."""
    return "" if text in ("", "1") else f" ({inline(text, 40)})"


def duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table of cells that are Markdown already; `right` are the columns of numbers."""
    rule = [("---:" if column in right else "---") for column in range(len(head))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
