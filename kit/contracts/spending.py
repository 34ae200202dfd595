"""Spending: what language models took, call by call and in a whole run."""

from __future__ import annotations

from kit.contracts.records import Record


class Usage(Record):
    """What one call of a language model took. purpose: design, revision, code or repair."""

    model: str
    purpose: str
    input_tokens: int = 0
    cached_tokens: int = 0  # of the input tokens, those that the vendor had in its cache
    output_tokens: int = 0
    cost_usd: float | None = None  # None where the price of this model is not known


class Spent(Record):
    """All calls of language models in a run."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0  # of the calls whose price is known
    unpriced_calls: int = 0

    def plus(self, usage: Usage) -> Spent:
        return Spent(
            calls=self.calls + 1,
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
            cost_usd=self.cost_usd + (usage.cost_usd or 0.0),
            unpriced_calls=self.unpriced_calls + (usage.cost_usd is None),
        )

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __str__(self) -> str:
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        price = "" if self.unpriced_calls else f", ${self.cost_usd:.4f}"
        return f"{calls}, {self.input_tokens:,} + {self.output_tokens:,} tokens{price}"
