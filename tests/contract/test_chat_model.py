"""What every ChatModel promises: scripted, both vendors' APIs, a local server, replayed, and played by a person."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from kit.contracts.design import EnvDesign
from kit.llm import Ask, ChatModel, Message, ModelSettings, Role, ScriptedModel, Stop, choose_model
from kit.llm.asking import AskModel
from kit.llm.recording import RecordingModel, ReplayModel
from tests.integration.vendors import Turn, vendors

KINDS = ["scripted", "anthropic", "responses", "chat", "replay", "ask"]
ASK = Ask(purpose="design", system="Be brief.", messages=(Message(role=Role.USER, text="Say it."),))
ANSWER = 'one answer, "quoted"\nand {braced}: é 病'
ASKS = [ASK, ASK.model_copy(update={"form": EnvDesign}), ASK.again("no", "again")]


def _answer_all(folder: Path) -> None:
    for request in folder.glob("*.md"):
        beside = request.with_name(f"{request.stem}.answer.md")
        if not request.name.endswith(".answer.md") and not beside.exists():
            beside.write_text(ANSWER)


async def _person(folder: Path) -> None:
    """Answers every request that turns up."""
    while True:
        _answer_all(folder)
        await asyncio.sleep(0.02)


@pytest.fixture(params=KINDS)
async def model(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ChatModel]:
    scripted = ScriptedModel({"design": [ANSWER, ANSWER]})
    if request.param == "scripted":
        yield scripted
    elif request.param == "replay":
        for ask in ASKS:
            await RecordingModel(scripted, tmp_path).answer(ask)
        yield ReplayModel(tmp_path)
    elif request.param == "ask":
        person = asyncio.create_task(_person(tmp_path))
        yield AskModel(tmp_path, look_every_s=0.02)
        person.cancel()
    else:
        async with vendors(Turn(ANSWER), without=("/v1/responses",) if request.param == "chat" else ()) as house:
            key = SecretStr("sk-x")
            settings = (
                ModelSettings(anthropic_key=key, anthropic_url=house.url)
                if request.param == "anthropic"
                else ModelSettings(openai_key=key, openai_url=f"{house.url}/v1", name="local")
            )
            chosen = choose_model(settings)
            assert chosen is not None
            yield chosen


@pytest.mark.parametrize("ask", ASKS, ids=["free", "form", "again"])
async def test_an_ask_is_answered_and_heard_in_full(model: ChatModel, ask: Ask) -> None:
    heard: list[str] = []
    answer = await model.answer(ask, heard.append)
    assert (answer.text, answer.stop) == (ANSWER, Stop.END)
    assert "".join(heard) == ANSWER


async def test_a_model_holds_no_conversation(model: ChatModel) -> None:
    assert (await model.answer(ASK)).text == (await model.answer(ASK)).text


async def test_a_model_has_a_name(model: ChatModel) -> None:
    assert model.name
