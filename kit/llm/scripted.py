"""ScriptedModel: a ChatModel that answers from prepared texts, for tests and demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from kit.llm.chat import Answer, Ask, Stop
from kit.prose import fenced

MOST_ASKED: Final = 100
LANGUAGES: Final = {".py": "python", ".json": "json"}


class ScriptedModel:
    """Answers an ask by its purpose; the second answer to a purpose is for a conversation that went on, and so forth.

    It keeps no count, so any number of runs may share it: the conversation itself says which try
    this is. Past the last prepared text, and for an unknown purpose, it refuses.
    `asked` holds what it was asked last, for tests to read.
    """

    def __init__(self, script: Mapping[str, Sequence[str]], name: str = "scripted") -> None:
        self._script = {purpose: tuple(texts) for purpose, texts in script.items()}
        self._name = name
        self.asked: list[Ask] = []

    @property
    def name(self) -> str:
        return self._name

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        self.asked = [*self.asked, ask][-MOST_ASKED:]
        texts = self._script.get(ask.purpose, ())
        if ask.tries >= len(texts):
            return Answer(text=f"The script has no answer {ask.tries} to {ask.purpose}.", stop=Stop.REFUSED)
        text = texts[ask.tries]
        hear(text)
        return Answer(text=text)


def read_script(folder: Path) -> dict[str, list[str]]:
    """<purpose>.md is an answer as it stands; <purpose>.py and <purpose>.json are put in a code block."""
    script: dict[str, list[str]] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".md" and path.stem != "README":
            script[path.stem] = [path.read_text(encoding="utf-8")]
        elif path.suffix in LANGUAGES:
            script[path.stem] = [fenced(path.read_text(encoding="utf-8"), LANGUAGES[path.suffix])]
    return script
