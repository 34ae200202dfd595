"""Line: how a vendor's server is reached, how long we wait for it, and what its failures mean to us."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from pydantic import PositiveFloat, PositiveInt, SecretStr

from gymwright.errors import GymwrightError, ModelUnusable, ServiceUnavailable
from kit.contracts.records import Record
from kit.llm.chat import Answer
from kit.llm.prices import Price

LATER: Final = frozenset({408, 409, 425, 429})  # and everything from 500 up
MOST_SAID: Final = 300  # characters of a vendor's own message
NO_CREDIT: Final = ("insufficient_quota", "credit balance", "billing")


Effort = Literal["low", "medium", "high", "xhigh", "max"]
"""How hard the model thinks; not every model takes every one."""


class Line(Record):
    """key_from: the variable that holds the key, for messages. base_url: None for the vendor's own server.

    silence_s: the longest pause of the server; wall_s: the whole answer, with every retry.
    retries: of requests that were turned down for now, and as often of answers that broke off.
    """

    vendor: str
    key: SecretStr
    key_from: str
    name: str
    base_url: str | None = None
    effort: Effort | None = None
    silence_s: PositiveFloat = 120.0
    wall_s: PositiveFloat = 300.0
    retries: int = 4
    max_tokens: PositiveInt = 32_000
    price: Price | None = None  # None where it is not known
    first_pause_s: PositiveFloat = 0.5  # before an answer that broke off is asked for again

    @property
    def server(self) -> str:
        return f"{self.vendor} at {self.base_url}" if self.base_url else self.vendor


class BrokeOff(Exception):
    """The answer began and did not end; asking again may help. Never leaves the adapters."""


async def persistently(line: Line, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """The answer, asked for again where it broke off; ServiceUnavailable when patience is at its end.

    The SDKs themselves retry what fails before an answer begins, by the server's own hints.
    """
    try:
        async with asyncio.timeout(line.wall_s):
            for attempt in range(line.retries):
                try:
                    return await call()
                except BrokeOff:
                    await asyncio.sleep(line.first_pause_s * 2**attempt)
            return await call()
    except BrokeOff as problem:
        raise ServiceUnavailable(
            f"{line.server} broke its answer off {line.retries + 1} times; the last time: {problem}"
        ) from None
    except TimeoutError:
        raise ServiceUnavailable(f"{line.server} did not finish its answer within {line.wall_s:g} s.") from None


def turned_down(line: Line, status: int, said: str) -> GymwrightError:
    """What an HTTP status means to whoever asked. The server is quoted, but never where keys are its topic."""
    quoted = " ".join(said.replace(line.key.get_secret_value(), "[key]").split())[:MOST_SAID]
    if status == 401:
        return ModelUnusable(
            f"{line.server} refuses the key in {line.key_from} (401). Set a valid one and start again."
        )
    if status == 403:
        return ModelUnusable(f"{line.server} does not let the key in {line.key_from} use {line.name} (403).")
    if status == 402 or any(word in said.lower() for word in NO_CREDIT):
        return ModelUnusable(f"The account of {line.key_from} has no credit at {line.server} ({status}).")
    if status == 404:
        return ModelUnusable(f"{line.server} has no model {line.name} (404); GYMWRIGHT_MODEL_NAME sets another.")
    if status in LATER or status >= 500:
        return ServiceUnavailable(f"{line.server} is busy or down ({status}): {quoted}")
    return ModelUnusable(f"{line.server} does not take the request ({status}): {quoted}")


def unreachable(line: Line) -> ServiceUnavailable:
    return ServiceUnavailable(f"{line.server} can't be reached, or says nothing for {line.silence_s:g} s.")
