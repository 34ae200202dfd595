"""AskModel: a person, or any other program, plays the model: each request is a file, and so is its answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gymwright.errors import StorageUnavailable
from kit.llm.chat import Answer, Ask, Role
from kit.llm.forms import PROMPTS, with_form
from kit.prose import Prose

LOOK_EVERY_S: Final = 0.5
ANSWER: Final = ".answer.md"


class AskModel:
    """Writes <purpose>_<try>_<digest>.md into the folder and waits for <the same>.answer.md beside it.

    The same request has the same file, so a request that comes again is answered by the answer that is there.
    """

    def __init__(self, folder: Path, look_every_s: float = LOOK_EVERY_S) -> None:
        self._folder = folder
        self._look_every_s = look_every_s
        self._prompts = Prose(PROMPTS)

    @property
    def name(self) -> str:
        return f"whoever answers in {self._folder.name}"

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        request = self._folder / f"{ask.purpose}_{ask.tries}_{digest(ask)[:8]}.md"
        beside = request.with_name(request.stem + ANSWER)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            request.write_text(self._page(ask, beside.name), encoding="utf-8")
            text = await self._awaited(beside)
        except OSError as problem:
            raise StorageUnavailable(f"{self._folder} can't be used: {problem.strerror}.") from None
        hear(text)
        return Answer(text=text)

    async def _awaited(self, path: Path) -> str:
        """The file's text, once it is there and has stopped growing. A folder can't be awaited, so it is looked at."""
        seen = ""
        while True:
            text = _read(path)
            if text.strip() and text == seen:
                return text
            seen = text
            await asyncio.sleep(self._look_every_s)

    def _page(self, ask: Ask, answer_file: str) -> str:
        said = [self._prompts.fill(_turn(message.role), text=message.text) for message in ask.messages]
        return self._prompts.fill(
            "request", purpose=ask.purpose, answer_file=answer_file, system=with_form(ask), messages="\n\n".join(said)
        )


def digest(ask: Ask) -> str:
    """SHA-256 of all that a model is shown."""
    form = ask.form.__name__ if ask.form is not None else ""
    shown = [ask.purpose, ask.system, form, *(f"{message.role} {message.text}" for message in ask.messages)]
    return hashlib.sha256("\0".join(shown).encode(errors="replace")).hexdigest()


def _turn(role: Role) -> str:
    return "request_user" if role is Role.USER else "request_model"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
