"""Spending: what a chain of calls to a model has cost so far, and the ceiling that it stops under."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from pydantic import PositiveFloat, PositiveInt

from gymwright.errors import BudgetSpent
from kit.contracts.records import Record
from kit.contracts.runs import Origin, OriginKind
from kit.llm.chat import Answer, Ask, ChatModel

log = structlog.get_logger()


class Ceiling(Record):
    """For one design, revision, draft or repair, with all its tries. None: no ceiling of this kind."""

    tokens: PositiveInt | None = None
    usd: PositiveFloat | None = None


class Spent(Record):
    """usd: None as soon as one call's price is unknown."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def plus(self, answer: Answer) -> Spent:
        return Spent(
            calls=self.calls + 1,
            input_tokens=self.input_tokens + answer.input_tokens,
            output_tokens=self.output_tokens + answer.output_tokens,
            usd=None if self.usd is None or answer.usd is None else self.usd + answer.usd,
        )

    def __str__(self) -> str:
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        price = "" if self.usd is None else f", ${self.usd:.4f}"
        return f"{calls}, {self.input_tokens:,} + {self.output_tokens:,} tokens{price}"


class Conversation:
    """Asks a model again and again, adds up what that costs, and asks no more once the ceiling is reached."""

    def __init__(self, model: ChatModel, ceiling: Ceiling) -> None:
        self._model = model
        self._ceiling = ceiling
        self.spent = Spent()

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        """The model's answer. BudgetSpent where the ceiling leaves no room for one.

        An answer may not be longer than the tokens that are left, so only one prompt can go over.
        """
        answer = await self._model.answer(self._bounded(ask), hear)
        self.spent = self.spent.plus(answer)
        log.info(
            "model answered",
            model=self._model.name,
            purpose=ask.purpose,
            tries=ask.tries,
            stop=answer.stop.value,
            input_tokens=answer.input_tokens,
            cached_tokens=answer.cached_tokens,
            output_tokens=answer.output_tokens,
            usd=answer.usd,
        )
        return answer

    def told(self, origin: Origin, purpose: str, prompts: str) -> Origin:
        """The origin of what came out of this conversation. prompts: the digest of the pages that were in force."""
        detail = f"{origin.detail}, {purpose}"
        if origin.kind is OriginKind.MODEL:
            detail += f": {self.spent}, prompts {prompts[:12]}"
        return origin.model_copy(update={"detail": detail})

    def _bounded(self, ask: Ask) -> Ask:
        tokens, usd = self._ceiling.tokens, self._ceiling.usd
        if usd is not None and self.spent.usd is not None and self.spent.usd >= usd:
            raise BudgetSpent(f"{self._what(ask)} stopped at the ceiling of ${usd:g}: {self.spent}.")
        if tokens is None:
            return ask
        if self.spent.tokens >= tokens:
            raise BudgetSpent(f"{self._what(ask)} stopped at the ceiling of {tokens:,} tokens: {self.spent}.")
        return ask.model_copy(update={"max_tokens": min(ask.max_tokens, tokens - self.spent.tokens)})

    def _what(self, ask: Ask) -> str:
        return f"Asking {self._model.name} for {ask.purpose}"
