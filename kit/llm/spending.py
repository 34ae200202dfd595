"""Spending: what a chain of calls to a model says and costs, and the ceiling that it stops under."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from pydantic import PositiveFloat, PositiveInt

from gymwright.errors import BudgetSpent
from kit.contracts.records import Record
from kit.contracts.runs import Origin, OriginKind, TextWritten
from kit.contracts.spending import Spent, Usage
from kit.llm.chat import Answer, Ask, ChatModel

log = structlog.get_logger()

Say = Callable[[TextWritten | Usage], None]
"""Gets what a model writes, as it writes it, and what each call took."""


def silent(said: TextWritten | Usage) -> None:
    """For whoever does not listen."""


class Ceiling(Record):
    """For one design, revision, draft or repair, with all its tries. None: no ceiling of this kind."""

    tokens: PositiveInt | None = None
    usd: PositiveFloat | None = None

    def within(self, budget_usd: float | None) -> Ceiling:
        """The lower of this ceiling and what a run has left. BudgetSpent where it has nothing left."""
        if budget_usd is None:
            return self
        if budget_usd <= 0:
            raise BudgetSpent("The run has spent what it may spend on language models; give it a higher max_cost_usd.")
        return self.model_copy(update={"usd": budget_usd if self.usd is None else min(self.usd, budget_usd)})


class Conversation:
    """Asks a model again and again, adds up what that costs, and asks no more once the ceiling is reached.

    purpose: what users are told the calls were for: design, revision, code or repair.
    """

    def __init__(self, model: ChatModel, ceiling: Ceiling, purpose: str, say: Say = silent) -> None:
        self._model = model
        self._ceiling = ceiling
        self._purpose = purpose
        self._say = say
        self.spent = Spent()

    async def answer(self, ask: Ask) -> Answer:
        """The model's answer. BudgetSpent where the ceiling leaves no room for one.

        An answer may not be longer than the tokens that are left, so only one prompt can go over.
        """
        self._say(TextWritten(purpose=self._purpose, text="", restarts=True))
        answer = await self._model.answer(self._bounded(ask), self._hear)
        usage = Usage(
            model=self._model.name,
            purpose=self._purpose,
            input_tokens=answer.input_tokens,
            cached_tokens=answer.cached_tokens,
            output_tokens=answer.output_tokens,
            cost_usd=answer.usd,
        )
        self.spent = self.spent.plus(usage)
        self._say(usage)
        log.info("model answered", ask=ask.purpose, tries=ask.tries, stop=answer.stop.value, **usage.model_dump())
        return answer

    def told(self, origin: Origin, purpose: str, prompts: str) -> Origin:
        """The origin of what came out of this conversation. prompts: the digest of the pages that were in force."""
        detail = f"{origin.detail}, {purpose}"
        if origin.kind is OriginKind.MODEL:
            detail += f": {self.spent}, prompts {prompts[:12]}"
        return origin.model_copy(update={"detail": detail})

    def _hear(self, piece: str) -> None:
        self._say(TextWritten(purpose=self._purpose, text=piece))

    def _bounded(self, ask: Ask) -> Ask:
        tokens, usd = self._ceiling.tokens, self._ceiling.usd
        if usd is not None and self.spent.unpriced_calls and self.spent.tokens:
            raise BudgetSpent(
                f"{self._what(ask)} stopped after {self.spent}: the price of {self._model.name} is not known, so the "
                f"ceiling of ${usd:g} can't be kept. Set GYMWRIGHT_MODEL_PRICE_INPUT and GYMWRIGHT_MODEL_PRICE_OUTPUT."
            )
        if usd is not None and self.spent.cost_usd >= usd:
            raise BudgetSpent(f"{self._what(ask)} stopped at the ceiling of ${usd:g}: {self.spent}.")
        if tokens is None:
            return ask
        if self.spent.tokens >= tokens:
            raise BudgetSpent(f"{self._what(ask)} stopped at the ceiling of {tokens:,} tokens: {self.spent}.")
        return ask.model_copy(update={"max_tokens": min(ask.max_tokens, tokens - self.spent.tokens)})

    def _what(self, ask: Ask) -> str:
        return f"Asking {self._model.name} for {ask.purpose}"
