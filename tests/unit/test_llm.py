"""Choosing a model, its forms, its prices, and the JSON in its answers."""

from __future__ import annotations

import json

import pytest
from anthropic import transform_schema
from openai.lib._pydantic import to_strict_json_schema
from pydantic import SecretStr

from kit.contracts.design import DesignAnswer
from kit.llm import ModelSettings, choose_model, read_model_settings
from kit.llm.extracting import json_object
from kit.llm.forms import strict
from kit.llm.prices import price_of
from kit.settings import SettingsWrong

A, B = SecretStr("sk-a"), SecretStr("sk-b")


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (ModelSettings(anthropic_key=A), "claude-opus-5-5"),
        (ModelSettings(openai_key=B), "gpt-6.1-sol"),
        (ModelSettings(anthropic_key=A, openai_key=B), "claude-opus-5-5"),
        (ModelSettings(anthropic_key=A, openai_key=B, vendor="openai"), "gpt-6.1-sol"),
        (ModelSettings(openai_url="http://127.0.0.1:1/v1", name="qwen"), "qwen"),  # a local server wants no key
    ],
)
def test_the_key_that_is_set_picks_the_model(settings: ModelSettings, name: str) -> None:
    model = choose_model(settings)
    assert model is not None
    assert model.name == name


def test_without_a_key_there_is_no_model() -> None:
    assert choose_model(ModelSettings()) is None


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (ModelSettings(openai_url="http://127.0.0.1:1/v1"), "GYMWRIGHT_MODEL_NAME"),
        (ModelSettings(anthropic_key=A, vendor="openai"), "OPENAI_API_KEY"),
        (ModelSettings(anthropic_key=A, name="unknown", ceiling_usd=1), "CEILING_TOKENS"),
    ],
)
def test_what_does_not_fit_together_stops_the_start(settings: ModelSettings, complaint: str) -> None:
    with pytest.raises(SettingsWrong, match=complaint):
        choose_model(settings)


@pytest.mark.parametrize(("name", "value"), [("GYMWRIGHT_MODEL_NAEM", "x"), ("GYMWRIGHT_MODEL_RETRIES", "-1")])
def test_a_typing_error_stops_the_start(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsWrong, match=name):
        read_model_settings()


def test_keys_are_read_from_the_vendors_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    settings = read_model_settings()
    assert settings.openai_key == SecretStr("sk-x")
    assert "sk-x" not in repr(settings)


@pytest.mark.parametrize("convert", [transform_schema, to_strict_json_schema], ids=["anthropic", "openai"])
def test_the_designs_schema_goes_through_both_sdks(convert: object) -> None:
    pending: list[object] = [strict(convert(DesignAnswer))]  # type: ignore[operator]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            assert "default" not in node
            assert "oneOf" not in node
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert sorted(node["required"]) == sorted(node["properties"])
            pending += node.values()
        elif isinstance(node, list):
            pending += node


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', 'Sure, {here} it is:\n```json\n{"a": 1}\n```\n{x}', 'before {"a": 1} after {}', '{"a": 1}}'],
)
def test_the_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert json.loads(json_object(text)) == {"a": 1}


def test_an_object_that_is_cut_off_stays_so() -> None:
    assert json_object('so: {"a": [1,') == '{"a": [1,'


@pytest.mark.parametrize(("name", "known"), [("claude-haiku-4-5-20251001", True), ("qwen", False)])
def test_prices_are_known_with_a_date_in_the_name_too(name: str, known: bool) -> None:
    assert (price_of(name) is not None) is known
