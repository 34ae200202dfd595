"""The scripted model: prepared answers by purpose, chosen by the conversation alone."""

from __future__ import annotations

from pathlib import Path

from kit.llm import Ask, ChatModel, Message, Role, ScriptedModel, Stop, read_script


def ask(purpose: str = "draft_0") -> Ask:
    return Ask(purpose=purpose, system="You code.", messages=(Message(role=Role.USER, text="Write it."),))


async def test_it_answers_by_purpose_however_often_it_is_asked() -> None:
    model: ChatModel = ScriptedModel({"draft_0": ["first"], "draft_1": ["second"]})
    answers = [(await model.answer(ask(purpose))).text for purpose in ("draft_0", "draft_1", "draft_0")]
    assert answers == ["first", "second", "first"]


async def test_a_conversation_that_goes_on_gets_the_next_answer_and_then_a_refusal() -> None:
    model = ScriptedModel({"draft_0": ["bad", "good"]})
    second = ask().again("bad", "not a module")
    third = second.again("good", "still not")
    assert (await model.answer(second)).text == "good"
    assert (await model.answer(third)).stop is Stop.REFUSED


async def test_an_unknown_purpose_is_refused() -> None:
    assert (await ScriptedModel({}).answer(ask())).stop is Stop.REFUSED


async def test_it_streams_what_it_says_and_remembers_what_it_was_asked() -> None:
    model, heard = ScriptedModel({"draft_0": ["hello"]}), []
    await model.answer(ask(), heard.append)
    assert heard == ["hello"]
    assert model.asked == [ask()]


def test_a_folder_is_a_script(tmp_path: Path) -> None:
    (tmp_path / "draft_0.py").write_text("x = 1\n")
    (tmp_path / "design.json").write_text("{}")
    (tmp_path / "draft_1.md").write_text("as it stands")
    (tmp_path / "README.md").write_text("not an answer")
    assert read_script(tmp_path) == {
        "draft_0": ["```python\nx = 1\n```"],
        "design": ["```json\n{}\n```"],
        "draft_1": ["as it stands"],
    }
