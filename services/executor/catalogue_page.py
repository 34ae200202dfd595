"""`python -m services.executor.catalogue_page [--check]`: writes docs/checks.md from the checks themselves."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from services.executor import ends
from services.executor.inside import check
from services.executor.inside.catalogue import CATALOGUE, Check

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"
HEAD = """# The checks

What the executor looks for, by the id that a finding carries. An ERROR fails the environment, a WARNING does not, a
NOTE teaches. Blame says who can fix it: CODE goes to the coder, DESIGN to the designer.

The judge never imports the candidate: it starts it in a process of its own, asks over a typed pipe, and computes what
the design says itself. What a candidate fabricates consistently, state and all, it can't see; the laws, the
expectations and the probes are what is left against that.

This page is written by `python -m services.executor.catalogue_page`.
"""


def page() -> str:
    """The whole page, ids in order."""
    assert check and ends  # imported so that their checks are in the catalogue
    return "\n".join([HEAD, *(line for id in sorted(CATALOGUE) for line in _section(CATALOGUE[id]))])


def _section(entry: Check) -> Iterator[str]:
    yield f"## {entry.id}"
    yield ""
    yield f"{entry.proves} Blame: {entry.blame.value}."
    yield ""
    yield "Fails:"
    yield ""
    yield "```python"
    yield entry.example
    yield "```"
    yield ""
    yield f"Remedy: {entry.remedy}"
    yield ""


def main() -> int:
    written = page()
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != written:
            sys.stderr.write(f"{PAGE.name} is stale: run python -m services.executor.catalogue_page\n")
            return 1
        return 0
    PAGE.write_text(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
