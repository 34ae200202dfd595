"""Scripts: prepared drafts for tests and demonstrations, written whole or as edits of a worked environment."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from kit.contracts.records import Identifier, Record
from kit.library import worked_problems
from kit.llm import read_script
from kit.prose import fenced


class ScriptBroken(Exception):
    """A prepared draft does not fit the environment it edits: a mistake of whoever prepared it."""


class Edit(Record):
    """find stands exactly once in the source, and is replaced."""

    find: str = Field(min_length=1)
    replace: str


class PreparedDraft(Record):
    """A worked environment with faults put in on purpose. fault: what is wrong with it; empty where nothing is."""

    base: Identifier
    fault: str
    edits: tuple[Edit, ...] = ()

    @property
    def source(self) -> str:
        source = next((problem.source for problem in worked_problems() if problem.name == self.base), None)
        if source is None:
            raise ScriptBroken(f"there is no worked problem {self.base}")
        for edit in self.edits:
            if source.count(edit.find) != 1:
                raise ScriptBroken(f"{edit.find!r} stands {source.count(edit.find)} times in {self.base}, not once")
            source = source.replace(edit.find, edit.replace)
        return source


def read_drafts(folder: Path) -> dict[str, list[str]]:
    """The folder's script: draft_<n>.py, .md (a whole answer), or .toml (a PreparedDraft)."""
    script = read_script(folder)
    for path in sorted(folder.glob("*.toml")):
        try:
            draft = PreparedDraft.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except (ValidationError, tomllib.TOMLDecodeError) as problem:
            raise ScriptBroken(f"{path.name}: {problem}") from problem
        script[path.stem] = [fenced(draft.source, "python")]
    return script
