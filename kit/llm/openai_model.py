"""OpenAIModel: GPT, or a local server that speaks OpenAI's API, as a ChatModel; only this file imports the SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum
from typing import Final, cast

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI, Timeout, omit
from openai.lib._pydantic import to_strict_json_schema
from openai.types.chat import ChatCompletionMessageParam
from openai.types.chat.completion_create_params import ResponseFormat
from openai.types.responses import (
    EasyInputMessageParam,
    Response,
    ResponseCompletedEvent,
    ResponseFailedEvent,
    ResponseFormatTextConfigParam,
    ResponseIncompleteEvent,
    ResponseTextDeltaEvent,
)

from kit.contracts.records import Record
from kit.llm.chat import Answer, Ask, Role, Stop
from kit.llm.forms import strict, with_form
from kit.llm.line import BrokeOff, Line, persistently, turned_down, unreachable

ABSENT: Final = frozenset({404, 405, 501})  # what a server without /v1/responses says
UNABLE: Final = frozenset({400, 422})  # what a server says to a form that it can't hold a model to


class Hold(Enum):
    """How a server holds the model to a form, strictest first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    WORDS = "text"


WEAKER: Final = {Hold.SCHEMA: Hold.OBJECT, Hold.OBJECT: Hold.WORDS}


class OpenAIModel:
    """Streams. Asks /v1/responses with a schema; where the server can't do that, less and less, until it can.

    Only a server that isn't OpenAI's is asked at /v1/chat/completions. What worked is where the next ask begins.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._chat = False
        self._hold = Hold.SCHEMA
        self._client = AsyncOpenAI(
            api_key=line.key.get_secret_value(),
            base_url=line.base_url,
            max_retries=line.retries,
            timeout=Timeout(line.silence_s, connect=min(10.0, line.silence_s)),
        )

    @property
    def name(self) -> str:
        return self._line.name

    async def answer(self, ask: Ask, hear: Callable[[str], None] = lambda piece: None) -> Answer:
        return await persistently(self._line, lambda: self._settled(ask, hear))

    async def _settled(self, ask: Ask, hear: Callable[[str], None]) -> Answer:
        """Errors become ours `from None`: the SDK's hold the request, and the request holds the key."""
        chat, hold = self._chat, self._hold
        while True:
            try:
                answer = await (self._by_chat if chat else self._by_responses)(ask, hear, hold)
            except APIStatusError as problem:
                if problem.status_code in ABSENT and self._line.base_url is not None and not chat:
                    chat = True
                elif problem.status_code in UNABLE and ask.form is not None and hold in WEAKER:
                    hold = WEAKER[hold]
                else:
                    raise turned_down(self._line, problem.status_code, problem.message) from None
            except APIConnectionError:
                raise unreachable(self._line) from None
            else:
                self._chat, self._hold = chat, hold
                return answer

    async def _by_responses(self, ask: Ask, hear: Callable[[str], None], hold: Hold) -> Answer:
        messages: list[EasyInputMessageParam] = [
            {"role": "user" if message.role is Role.USER else "assistant", "content": message.text}
            for message in ask.messages
        ]
        stream = await self._client.responses.create(
            stream=True,
            model=self._line.name,
            instructions=ask.system if hold is Hold.SCHEMA else with_form(ask),
            input=[*messages],
            max_output_tokens=min(ask.max_tokens, self._line.max_tokens),
            reasoning=omit if self._line.effort is None else {"effort": self._line.effort},
            text=omit if ask.form is None else {"format": _format(ask.form, hold)},
            store=False,
        )
        ended: Response | None = None
        async with stream, _breaking():
            async for event in stream:
                if isinstance(event, ResponseTextDeltaEvent):
                    hear(event.delta)
                elif isinstance(event, ResponseCompletedEvent | ResponseIncompleteEvent | ResponseFailedEvent):
                    ended = event.response
        if ended is None or ended.status == "failed":
            raise BrokeOff(ended.error.code if ended and ended.error else "the stream ended before the answer did")
        return self._of_response(ended)

    def _of_response(self, response: Response) -> Answer:
        refusal = "".join(
            part.refusal
            for item in response.output
            if item.type == "message"
            for part in item.content
            if part.type == "refusal"
        )
        why = response.incomplete_details.reason if response.incomplete_details else None
        stop = Stop.LENGTH if why == "max_output_tokens" else Stop.REFUSED if why or refusal else Stop.END
        text, usage = refusal or response.output_text, response.usage
        if usage is None:
            return Answer(text=text, stop=stop)
        details = usage.input_tokens_details
        return self._answer(
            text, stop, usage.input_tokens, details.cached_tokens if details else 0, usage.output_tokens
        )

    async def _by_chat(self, ask: Ask, hear: Callable[[str], None], hold: Hold) -> Answer:
        """The form stands in the prompt too: a local server may hold the model to a schema that it never shows it."""
        messages: list[ChatCompletionMessageParam] = [{"role": "system", "content": with_form(ask)}]
        for message in ask.messages:
            if message.role is Role.USER:
                messages.append({"role": "user", "content": message.text})
            else:
                messages.append({"role": "assistant", "content": message.text})
        stream = await self._client.chat.completions.create(
            stream=True,
            stream_options={"include_usage": True},
            model=self._line.name,
            messages=messages,
            max_tokens=min(ask.max_tokens, self._line.max_tokens),  # the name that local servers know
            reasoning_effort=omit if self._line.effort is None else self._line.effort,
            response_format=_chat_format(ask.form, hold) if ask.form and hold is not Hold.WORDS else omit,
        )
        text, refusal, ending = "", "", ""
        tokens = (0, 0, 0)
        async with stream, _breaking():
            async for chunk in stream:
                for choice in chunk.choices[:1]:
                    hear(choice.delta.content or "")
                    text += choice.delta.content or ""
                    refusal += choice.delta.refusal or ""
                    ending = choice.finish_reason or ending
                if chunk.usage is not None:
                    details = chunk.usage.prompt_tokens_details
                    cached = details.cached_tokens or 0 if details else 0
                    tokens = (chunk.usage.prompt_tokens, cached, chunk.usage.completion_tokens)
        if not ending:
            raise BrokeOff("the stream ended before the answer did")
        refused = ending == "content_filter" or bool(refusal)
        stop = Stop.REFUSED if refused else Stop.LENGTH if ending == "length" else Stop.END
        return self._answer(refusal or text, stop, *tokens)

    def _answer(self, text: str, stop: Stop, given: int, cached: int, output: int) -> Answer:
        price = self._line.price
        usd = price.of(given - cached, cached, 0, output) if price else None
        return Answer(text=text, stop=stop, input_tokens=given, cached_tokens=cached, output_tokens=output, usd=usd)


@asynccontextmanager
async def _breaking() -> AsyncIterator[None]:
    """Whatever goes wrong once an answer has begun is an answer that broke off."""
    try:
        yield
    except APIError as problem:
        raise BrokeOff(problem.code or type(problem).__name__) from None
    except (httpx2.HTTPError, httpx2.StreamError, ValueError) as problem:
        raise BrokeOff(type(problem).__name__) from None


def _format(form: type[Record], hold: Hold) -> ResponseFormatTextConfigParam:
    if hold is Hold.WORDS:
        return {"type": "text"}
    if hold is Hold.OBJECT:
        return {"type": "json_object"}
    schema = strict(to_strict_json_schema(form))
    return {"type": "json_schema", "name": form.__name__, "schema": schema, "strict": True}


def _chat_format(form: type[Record], hold: Hold) -> ResponseFormat:
    """The same, as the older API nests it."""
    flat = dict(_format(form, hold))
    kind = flat.pop("type")
    return cast(ResponseFormat, {"type": kind, kind: flat} if flat else {"type": kind})
