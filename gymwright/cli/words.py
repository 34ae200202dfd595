"""How numbers, times and foreign text are written on a screen."""

from __future__ import annotations

import math
from typing import Final

from gymwright.v1 import findings_pb2, outcomes_pb2, run_pb2

BARS: Final = "▁▂▃▄▅▆▇█"


def printable(text: str) -> str:
    """One line without control or invisible characters: texts of candidates and of the wire can't move the cursor."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def indented(line: str) -> str:
    """A line of code as printable() has it, its indentation kept."""
    return " " * (len(line) - len(line.lstrip(" "))) + printable(line)


def number(value: float) -> str:
    """About four digits that matter: 18,300, 142.5, 42.50, 0.0312, 1.20e+09."""
    size = abs(value)
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    if size >= 1e7 or size < 1e-4:
        return f"{value:.2e}"
    if size < 1:
        return f"{value:.3g}"
    return f"{value:,.{2 if size < 100 else 1 if size < 1000 else 0}f}"


def interval(of: outcomes_pb2.Interval) -> str:
    """A mean and its 95 % interval, as exact as the interval is narrow."""
    half = (of.high - of.low) / 2
    if not (math.isfinite(half) and half > 0) or max(abs(of.low), abs(of.high)) >= 1e7:
        return number(of.mean) if half == 0 else f"{number(of.mean)} [{number(of.low)}, {number(of.high)}]"
    decimals = min(6, max(0, 1 - math.floor(math.log10(half))))
    return f"{of.mean:,.{decimals}f} [{of.low:,.{decimals}f}, {of.high:,.{decimals}f}]"


def span(seconds: float) -> str:
    """0.4 s, 12 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def clock(seconds: float) -> str:
    """0:07, 12:40, 1:02:03."""
    whole = max(0, round(seconds))
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def size(in_bytes: int) -> str:
    """900 B, 12.4 kB, 3.1 MB."""
    if in_bytes < 1000:
        return f"{in_bytes} B"
    return f"{in_bytes / 1000:.1f} kB" if in_bytes < 1_000_000 else f"{in_bytes / 1_000_000:.1f} MB"


def plural(count: int, noun: str) -> str:
    """1 error, 2 errors."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def spark(values: list[float], width: int = 10) -> str:
    """The last values as small bars; empty for fewer than two."""
    shown = values[-width:]
    if len(shown) < 2:
        return ""
    low, high = min(shown), max(shown)
    reach = (high - low) or 1.0
    return "".join(BARS[min(len(BARS) - 1, int((value - low) / reach * len(BARS)))] for value in shown)


def severity_word(finding: findings_pb2.Finding) -> str:
    """error, warning or note."""
    return findings_pb2.Severity.Name(finding.severity).removeprefix("SEVERITY_").lower()


def blame_word(finding: findings_pb2.Finding) -> str:
    """code, design or budget; empty where nobody is to blame."""
    if finding.blame == findings_pb2.BLAME_UNSPECIFIED:
        return ""
    return findings_pb2.Blame.Name(finding.blame).removeprefix("BLAME_").lower()


def place_word(finding: findings_pb2.Finding) -> str:
    """line 84, or file and line where it is not the environment; empty where unknown."""
    return f"line {finding.line}" if finding.HasField("line") else ""


def origin_word(origin: run_pb2.Origin) -> str:
    """Where a design or a source came from."""
    detail = printable(origin.detail)
    match origin.kind:
        case run_pb2.ORIGIN_KIND_MODEL:
            return f"by {detail}"
        case run_pb2.ORIGIN_KIND_SCRIPTED:
            return f"scripted: {detail}" if detail else "scripted"
        case _:
            return detail
