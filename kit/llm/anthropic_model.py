"""AnthropicModel: Claude as a ChatModel; the only file that imports the anthropic SDK."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
from anthropic import (
    APIConnectionError,
    APIStatusError,
    AsyncAnthropic,
    BadRequestError,
    Omit,
    Timeout,
    omit,
    transform_schema,
)
from anthropic.lib.streaming import AsyncMessageStream
from anthropic.types import Message, MessageParam, OutputConfigParam, TextBlockParam

from kit.contracts.records import Record
from kit.llm.chat import Answer, Ask, Role, Stop
from kit.llm.forms import strict, with_form
from kit.llm.line import BrokeOff, Line, persistently, turned_down, unreachable

STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}


class AnthropicModel:
    """Streams; holds Claude to the form by its schema, or by words where the server can't compile the schema."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._schemas = True
        self._client = AsyncAnthropic(
            api_key=line.key.get_secret_value(),
            base_url=line.base_url,
            max_retries=line.retries,
            timeout=Timeout(line.silence_s, connect=min(10.0, line.silence_s)),
            open_telemetry=False,
        )

    @property
    def name(self) -> str:
        return self._line.name

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        return await persistently(self._line, lambda: self._settled(ask, hear))

    async def _settled(self, ask: Ask, hear: Callable[[str], None]) -> Answer:
        """Errors become ours `from None`: the SDK's hold the request, and the request holds the key."""
        try:
            if ask.form is None or not self._schemas:
                return await self._once(ask, hear, None)
            try:
                return await self._once(ask, hear, ask.form)
            except BadRequestError:  # a big schema may compile to too big a grammar
                answer = await self._once(ask, hear, None)
                self._schemas = False
                return answer
        except APIStatusError as problem:
            raise turned_down(self._line, problem.status_code, problem.message) from None
        except APIConnectionError:
            raise unreachable(self._line) from None

    async def _once(self, ask: Ask, hear: Callable[[str], None], form: type[Record] | None) -> Answer:
        answering = self._client.messages.stream(
            model=self._line.name,
            max_tokens=min(ask.max_tokens, self._line.max_tokens),
            system=[_remembered(with_form(ask) if form is None else ask.system)],
            messages=_messages(ask),
            output_config=self._output(form),
        )
        async with answering as stream:
            return self._answer(await _heard(stream, hear))

    def _output(self, form: type[Record] | None) -> OutputConfigParam | Omit:
        """As stream(output_format=...) would send it; that raises where an answer is cut or invalid, and loses it."""
        config = OutputConfigParam()
        if self._line.effort is not None:
            config["effort"] = self._line.effort
        if form is not None:
            config["format"] = {"type": "json_schema", "schema": strict(transform_schema(form))}
        return config or omit

    def _answer(self, message: Message) -> Answer:
        if message.stop_reason is None:
            raise BrokeOff("the stream ended before the answer did")
        usage = message.usage
        cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
        price = self._line.price
        return Answer(
            text="".join(block.text for block in message.content if block.type == "text"),
            stop=STOPS.get(message.stop_reason, Stop.END),
            input_tokens=usage.input_tokens + cached + written,
            cached_tokens=cached,
            output_tokens=usage.output_tokens,
            usd=price.of(usage.input_tokens, cached, written, usage.output_tokens) if price else None,
        )


async def _heard(stream: AsyncMessageStream[None], hear: Callable[[str], None]) -> Message:
    """The whole message, told piece by piece. Whatever goes wrong from here on is an answer that broke off."""
    try:
        async for event in stream:
            if event.type == "text":
                hear(event.text)
        return await stream.get_final_message()
    except APIStatusError as problem:
        raise BrokeOff(problem.type or "an error in the stream") from None
    except (APIConnectionError, httpx2.HTTPError, httpx2.StreamError) as problem:
        raise BrokeOff(type(problem).__name__) from None
    except (AssertionError, RuntimeError, ValueError):
        raise BrokeOff("the stream is not one of this API") from None


def _messages(ask: Ask) -> list[MessageParam]:
    """The first message is remembered: it is the long one, and comes again with every further try."""
    first, *rest = ask.messages
    messages: list[MessageParam] = [{"role": "user", "content": [_remembered(first.text)]}]
    for message in rest:
        if message.role is Role.USER:
            messages.append({"role": "user", "content": message.text})
        else:
            messages.append({"role": "assistant", "content": message.text})
    return messages


def _remembered(text: str) -> TextBlockParam:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
