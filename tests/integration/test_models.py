"""Both vendors' SDKs against a server on loopback: every fault has a path of its own."""

from __future__ import annotations

import asyncio
import logging

import pytest
from pydantic import SecretStr

from gymwright.errors import BudgetSpent, GymwrightError, ModelUnusable, ServiceUnavailable
from kit.contracts.design import EnvDesign
from kit.llm import Answer, Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.anthropic_model import AnthropicModel
from kit.llm.line import Line
from kit.llm.openai_model import OpenAIModel
from tests.integration.vendors import Turn, Vendors, vendors

KEY = "sk-marker-4711-secret"
ASK = Ask(purpose="design", system="Be brief.", messages=(Message(role=Role.USER, text="Say it."),))
ALL = pytest.mark.parametrize("api", ["anthropic", "responses", "chat"])
WITHOUT = {"anthropic": (), "responses": (), "chat": ("/v1/responses",)}


def model(api: str, house: Vendors, wall_s: float = 20.0) -> ChatModel:
    line = Line(
        vendor="The vendor",
        key=SecretStr(KEY),
        key_from="THE_KEY",
        name="some-model",
        base_url=house.url if api == "anthropic" else f"{house.url}/v1",
        silence_s=0.5,
        wall_s=wall_s,
        retries=2,
        first_pause_s=0.01,
    )
    return AnthropicModel(line) if api == "anthropic" else OpenAIModel(line)


async def asked(api: str, *turns: Turn, ask: Ask = ASK) -> tuple[Answer, Vendors, list[str]]:
    heard: list[str] = []
    async with vendors(*turns, without=WITHOUT[api]) as house:
        answer = await model(api, house).answer(ask, heard.append)
    return answer, house, heard


@ALL
async def test_an_answer_comes_in_pieces_with_its_tokens(api: str) -> None:
    answer, _, heard = await asked(api, Turn("hello world"))
    assert answer == Answer(text="hello world", input_tokens=15, cached_tokens=5, output_tokens=7)
    assert "".join(heard) == "hello world"
    assert len([piece for piece in heard if piece]) == 2


@ALL
@pytest.mark.parametrize(("ending", "stop"), [("length", Stop.LENGTH), ("refusal", Stop.REFUSED)])
async def test_a_cut_or_refused_answer_is_an_answer(api: str, ending: str, stop: Stop) -> None:
    answer, _, _ = await asked(api, Turn("so far", ending))
    assert (answer.stop, answer.text) == (stop, "so far")


@ALL
@pytest.mark.parametrize(
    "fault",
    [
        Turn(status=429, retry_after_s=0.01),
        Turn(status=529, retry_after_s=0.01),
        Turn(status=500, retry_after_s=0.01),
        Turn(ending="cut"),
        Turn(ending="stall"),
        Turn(ending="error"),
    ],
    ids=["429", "529", "500", "cut", "stall", "error event"],
)
async def test_what_may_pass_is_tried_again(api: str, fault: Turn) -> None:
    answer, _, _ = await asked(api, fault, Turn("at last"))
    assert (answer.text, answer.stop) == ("at last", Stop.END)


@ALL
@pytest.mark.parametrize(
    "fault",
    [Turn(status=500, retry_after_s=0.01), Turn(ending="cut"), Turn(ending="stall")],
    ids=["500", "cut", "stall"],
)
async def test_what_does_not_pass_is_unavailable(api: str, fault: Turn) -> None:
    with pytest.raises(ServiceUnavailable):
        await asked(api, fault)


@ALL
async def test_a_wrong_key_is_said_once_and_never_shown(api: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with vendors(Turn(status=401, said=f"bad key {KEY}"), without=WITHOUT[api]) as house:
        with pytest.raises(ModelUnusable, match="THE_KEY") as refusal:
            await model(api, house).answer(ASK)
    assert len([path for path, _ in house.requests if path not in house.without]) == 1
    assert KEY not in str(refusal.value) + caplog.text


@ALL
async def test_a_server_that_takes_no_schema_is_told_the_form_in_words(api: str) -> None:
    ask = ASK.model_copy(update={"form": EnvDesign})
    refusals = [Turn(status=400, said="schema too complex")] * (1 if api == "anthropic" else 2)
    answer, house, _ = await asked(api, *refusals, Turn("{}"), ask=ask)
    assert answer.text == "{}"
    assert '"observation"' in str(house.requests[-1][1])
    assert "json_schema" in str(house.requests[-2 if api == "anthropic" else -3][1])


@ALL
async def test_an_answer_that_takes_too_long_is_given_up(api: str) -> None:
    async with vendors(Turn(ending="stall"), without=WITHOUT[api]) as house:
        with pytest.raises(ServiceUnavailable, match="within"):
            await model(api, house, wall_s=0.3).answer(ASK)


@ALL
async def test_cancelling_ends_the_call(api: str) -> None:
    async with vendors(Turn(ending="stall"), without=WITHOUT[api]) as house:
        task = asyncio.create_task(model(api, house).answer(ASK))
        await house.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_claudes_prompt_is_remembered() -> None:
    _, house, _ = await asked("anthropic", Turn())
    body = house.requests[0][1]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}


@ALL
async def test_a_conversation_stops_at_its_ceiling(api: str) -> None:
    async with vendors(Turn(), without=WITHOUT[api]) as house:
        conversation = Conversation(model(api, house), Ceiling(tokens=20), "design")
        await conversation.answer(ASK)
        with pytest.raises(BudgetSpent, match="ceiling of 20 tokens"):
            await conversation.answer(ASK)
    assert isinstance(BudgetSpent(""), GymwrightError)
