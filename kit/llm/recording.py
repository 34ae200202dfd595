"""Recording: real exchanges kept as files, keys removed, and served again without a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from pydantic import SecretStr, ValidationError

from gymwright.errors import ModelUnusable
from kit.contracts.records import Record
from kit.llm.asking import digest
from kit.llm.chat import Answer, Ask, ChatModel, Message

REMOVED: Final = "[key removed]"


class Exchange(Record):
    """One ask and its answer. asked: the digest by which the ask is found again."""

    model: str
    asked: str
    purpose: str
    form: str
    system: str
    messages: tuple[Message, ...]
    answer: Answer


class RecordingModel:
    """Another model, each of whose answers is kept in the folder as <purpose>_<try>_<digest>.json."""

    def __init__(self, model: ChatModel, folder: Path, secrets: tuple[SecretStr, ...] = ()) -> None:
        self._model = model
        self._folder = folder
        self._secrets = tuple(secret.get_secret_value() for secret in secrets)

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        answer = await self._model.answer(ask, hear)
        exchange = Exchange(
            model=self._model.name,
            asked=digest(ask),
            purpose=ask.purpose,
            form=ask.form.__name__ if ask.form is not None else "",
            system=ask.system,
            messages=ask.messages,
            answer=answer,
        )
        text = exchange.model_dump_json(indent=1)
        for secret in self._secrets:
            text = text.replace(secret, REMOVED)
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{ask.purpose}_{ask.tries}_{exchange.asked[:8]}.json").write_text(
            text + "\n", encoding="utf-8"
        )
        return answer


class ReplayModel:
    """Answers what was recorded, word for word the same ask; anything else is ModelUnusable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.name
        self._exchanges: dict[str, Exchange] = {}
        for path in sorted(folder.glob("*.json")):
            try:
                exchange = Exchange.model_validate_json(path.read_text(encoding="utf-8"))
            except (OSError, ValidationError):
                raise ModelUnusable(f"{path} is no recorded exchange.") from None
            self._exchanges[exchange.asked] = exchange

    @property
    def name(self) -> str:
        names = sorted({exchange.model for exchange in self._exchanges.values()})
        return f"{' and '.join(names) or 'nothing'}, replayed from {self._folder}"

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        exchange = self._exchanges.get(digest(ask))
        if exchange is None:
            raise ModelUnusable(
                f"{self._folder} holds no answer to this request for {ask.purpose} (try {ask.tries}); "
                "where prompts or designs have changed since, it has to be recorded again."
            )
        hear(exchange.answer.text)
        return exchange.answer
