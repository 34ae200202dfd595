"""Both vendors' SDKs against a server on loopback: every fault has a path of its own."""

from __future__ import annotations

import asyncio
import logging

import anthropic
import openai
import pytest
from pydantic import SecretStr

from gymwright.errors import BudgetSpent, GymwrightError, ModelUnusable, ServiceUnavailable
from kit.contracts.design import AnswerKind, DesignAnswer, EnvDesign
from kit.contracts.runs import TextWritten
from kit.contracts.spending import Usage
from kit.library import worked_problems
from kit.llm import Answer, Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.anthropic_model import AnthropicModel
from kit.llm.line import Line
from kit.llm.openai_model import OpenAIModel
from kit.llm.prices import Price
from tests.integration.vendors import Turn, Vendors, vendors

KEY = "sk-marker-4711-secret"
ASK = Ask(purpose="design", system="Be brief.", messages=(Message(role=Role.USER, text="Say it."),))
ALL = pytest.mark.parametrize("api", ["anthropic", "responses", "chat"])
WITHOUT = {"anthropic": (), "responses": (), "chat": ("/v1/responses",)}


def model(api: str, house: Vendors, wall_s: float = 20.0, price: Price | None = None) -> ChatModel:
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
        price=price,
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


@ALL
async def test_a_known_price_makes_a_cost_and_a_ceiling_in_dollars_holds(api: str) -> None:
    async with vendors(Turn(), without=WITHOUT[api]) as house:
        priced = Price(input=100_000, cached=0, written=100_000, output=1_000_000)  # 10 fresh and 7 written: 8 dollars
        heard: list[TextWritten | Usage] = []
        conversation = Conversation(model(api, house, price=priced), Ceiling(usd=5), "design", heard.append)
        await conversation.answer(ASK)
        with pytest.raises(BudgetSpent, match=r"ceiling of \$5: 1 call, 15 \+ 7 tokens, \$8"):
            await conversation.answer(ASK)
    assert [said.cost_usd for said in heard if isinstance(said, Usage)] == [8.0]


@ALL
async def test_a_ceiling_in_dollars_stops_where_nobody_knows_the_price(api: str) -> None:
    async with vendors(Turn(), without=WITHOUT[api]) as house:
        conversation = Conversation(model(api, house), Ceiling(usd=5), "design")
        await conversation.answer(ASK)
        with pytest.raises(BudgetSpent, match="GYMWRIGHT_MODEL_PRICE_INPUT"):
            await conversation.answer(ASK)


DESIGN = worked_problems()[0].design
FILLED = DesignAnswer(kind=AnswerKind.DESIGN, design=DESIGN).model_dump_json()


async def test_the_form_of_a_design_goes_through_anthropics_own_parser() -> None:
    async with vendors(Turn(FILLED)) as house:
        client = anthropic.AsyncAnthropic(api_key=KEY, base_url=house.url)
        said = await client.messages.parse(
            model="x", max_tokens=100, messages=[{"role": "user", "content": "Design."}], output_format=DesignAnswer
        )
    assert said.parsed_output is not None
    assert said.parsed_output.design == DESIGN


async def test_the_form_of_a_design_goes_through_openais_own_parser() -> None:
    async with vendors(Turn(FILLED)) as house:
        client = openai.AsyncOpenAI(api_key=KEY, base_url=f"{house.url}/v1")
        said = await client.responses.parse(model="x", input="Design.", text_format=DesignAnswer)
        chat = await client.chat.completions.parse(
            model="x", messages=[{"role": "user", "content": "Design."}], response_format=DesignAnswer
        )
    assert said.output_parsed is not None
    assert said.output_parsed.design == DESIGN
    assert chat.choices[0].message.parsed is not None
    assert chat.choices[0].message.parsed.design == DESIGN
