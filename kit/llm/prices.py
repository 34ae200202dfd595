"""Prices: what a model's tokens cost by the vendors' price lists, and since when we know."""

from __future__ import annotations

import re
from typing import Final

from kit.contracts.records import Record

PRICES_READ: Final = "2026-12-01"
"""The day on which the table was made, from what was then published about the vendors' lists."""

MILLION: Final = 1_000_000
DATED: Final = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


class Price(Record):
    """US dollars for a million tokens. cached: read from the vendor's memory; written: put into it."""

    input: float
    cached: float
    written: float
    output: float

    def of(self, fresh: int, cached: int, written: int, output: int) -> float:
        spent = fresh * self.input + cached * self.cached + written * self.written + output * self.output
        return spent / MILLION


# Standard service and short prompts only; a vendor's list has more columns than this.
PRICES: Final = {
    "claude-opus-5-5": Price(input=4, cached=0.4, written=5, output=20),
    "claude-sonnet-5-5": Price(input=2, cached=0.1, written=2.5, output=10),
    "claude-haiku-5-5": Price(input=0.1, cached=0.01, written=0.125, output=0.5),
    "claude-opus-5": Price(input=5, cached=0.5, written=6.25, output=25),
    "claude-sonnet-5": Price(input=2, cached=0.2, written=2.5, output=10),
    "claude-haiku-4-5": Price(input=1, cached=0.1, written=1.25, output=5),
    "gpt-6.1-sol": Price(input=2, cached=0.1, written=2.5, output=10),
    "gpt-6.1-terra": Price(input=1, cached=0.05, written=1.25, output=5),
    "gpt-6-sol": Price(input=2, cached=0.2, written=2.5, output=10),
    "gpt-6-luna": Price(input=0.1, cached=0.01, written=0.125, output=0.5),
}


def price_of(model: str) -> Price | None:
    """By the model's name, with or without a date at its end; None for a model that is not in the table."""
    return PRICES.get(DATED.sub("", model))
