"""ChatModel: the one verb that the designer and the coder need of a language model."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from pydantic import Field, PositiveInt

from kit.contracts.records import Record


class Role(StrEnum):
    USER = "USER"
    MODEL = "MODEL"


class Message(Record):
    role: Role
    text: str


class Ask(Record):
    """One turn of a conversation, all of it: the model remembers nothing between asks.

    purpose: what the answer is for, e.g. "design" or "draft_1"; names it in logs, records and scripts.
    form: the record whose JSON the answer must be; None for free text. The model holds itself to
        the schema as well as its vendor can; whoever asks validates all the same.
    """

    purpose: str
    system: str
    messages: tuple[Message, ...] = Field(min_length=1)
    form: type[Record] | None = None
    max_tokens: PositiveInt = 32_000

    @property
    def tries(self) -> int:
        """How often the model has answered in this conversation already."""
        return sum(message.role is Role.MODEL for message in self.messages)

    def again(self, answer: str, complaint: str) -> Ask:
        """The conversation goes on: what the model answered, and what is wrong with it."""
        said = Message(role=Role.MODEL, text=answer), Message(role=Role.USER, text=complaint)
        return self.model_copy(update={"messages": (*self.messages, *said)})


class Stop(StrEnum):
    """Why the answer ends where it does. All of these are answers, not errors."""

    END = "END"  # the model had said everything
    LENGTH = "LENGTH"  # max_tokens reached: the text is cut
    REFUSED = "REFUSED"  # the text is its reason, if it gave one


class Answer(Record):
    """What the model said. Token counts are the vendor's; 0 where it gives none.

    input_tokens: all of them; cached_tokens are those of them that the vendor remembered.
    output_tokens: with what the model thought.
    usd: what the answer cost by our price table; None where the model is not in it.
    """

    text: str
    stop: Stop = Stop.END
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None


class ChatModel(Protocol):
    """Answers one ask; holds no conversation of its own."""

    @property
    def name(self) -> str:
        """What a report calls it, e.g. the vendor's name for the model."""
        ...

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        """The whole answer; `hear` gets its pieces as they come, where the vendor streams.

        Retries what is worth retrying by itself (`hear` then gets the answer from its start again), and
        then raises ServiceUnavailable; ModelUnusable where a retry can't help, e.g. for a wrong key. An
        answer that is cut, refused or of the wrong form is an Answer. Cancelling ends the call.
        """
        ...
