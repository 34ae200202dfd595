"""Worked problems: complete answers that ship with Gymwright, loaded once and validated as they load."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from kit.contracts.design import EnvDesign
from kit.contracts.records import Identifier, Record

PROBLEMS: Final = Path(__file__).parent / "problems"

ASKED: Final = Path(__file__).parent / "asked.md"
ELSEWHERE: Final = "elsewhere"


class LibraryBroken(Exception):
    """A worked problem of ours is incomplete: a mistake of ours, never a user's."""


class WorkedProblem(Record):
    """One folder of kit/library/problems.

    problem: a line of what it is about, and what a user would say in full (problem.md).
    phrasings: other ways to say it (asked.md).
    source: the environment's module; data to us, never imported.
    twin: the same environment as NumPy over many copies, where there is one; else empty.
    """

    name: Identifier
    title: str
    problem: str
    phrasings: tuple[str, ...]
    design: EnvDesign
    source: str
    twin: str = ""

    @property
    def about(self) -> str:
        """What it is about, for a list in a message: the first line of problem.md."""
        return f'{self.name} ("{self.problem.splitlines()[0].rstrip(".")}")'


@cache
def worked_problems() -> tuple[WorkedProblem, ...]:
    """Every worked problem, by name."""
    asked = how_people_ask()
    return tuple(
        read_problem(folder, asked) for folder in sorted(PROBLEMS.iterdir()) if (folder / "design.json").is_file()
    )


def read_problem(folder: Path, phrasings: Mapping[str, tuple[str, ...]]) -> WorkedProblem:
    """phrasings: by problem. Raises LibraryBroken where a file is missing or doesn't fit the others."""
    try:
        problem = _text(folder / "problem.md").strip()
        design = EnvDesign.model_validate_json(_text(folder / "design.json"))
        source = _text(folder / "environment.py")
        twin = _text(folder / "twin.py") if (folder / "twin.py").is_file() else ""
    except (OSError, ValidationError) as trouble:
        raise LibraryBroken(f"{folder.name}: {trouble}") from trouble
    if design.name != folder.name:
        raise LibraryBroken(f"{folder.name}: its design is called {design.name}")
    if folder.name not in phrasings:
        raise LibraryBroken(f"{folder.name}: {ASKED.name} has no section for it")
    return WorkedProblem(
        name=design.name,
        title=design.title,
        problem=problem,
        phrasings=phrasings[folder.name],
        design=design,
        source=source,
        twin=twin,
    )


@cache
def how_people_ask() -> dict[str, tuple[str, ...]]:
    """The lines of asked.md by section: each worked problem, and ELSEWHERE."""
    sections: dict[str, list[str]] = {}
    section = ""
    for line in _text(ASKED).splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ").strip()
        elif line.startswith("- ") and section:
            sections.setdefault(section, []).append(line.removeprefix("- ").strip())
    return {name: tuple(lines) for name, lines in sections.items()}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
