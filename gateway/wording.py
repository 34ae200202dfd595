"""Wording: findings and numbers as one line that is fit for a screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kit.contracts.findings import Finding


def finding_in_words(finding: Finding) -> str:
    return f"{place_of(finding)}: {one_line(finding.message)}"


def place_of(finding: Finding) -> str:
    return finding.check + (f" at line {finding.line}" if finding.line is not None else "")


def first_of(findings: Sequence[Finding]) -> str:
    """The first finding in words, and how many more there are."""
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return finding_in_words(findings[0]) + more


def places_of(findings: Sequence[Finding], most: int = 3) -> str:
    shown = ", ".join(place_of(finding) for finding in findings[:most])
    return shown + (f" and {len(findings) - most} more" if len(findings) > most else "")


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 'es' if what.endswith('x') else 's'}"


def one_line(text: str, most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def sentence(text: str) -> str:
    """What an agent notes as a line that begins and ends like the others."""
    line = one_line(text)
    return line[:1].upper() + line[1:] + ("" if line.endswith((".", "…", "!", "?")) else ".")


def numbers_of(named: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in named)
