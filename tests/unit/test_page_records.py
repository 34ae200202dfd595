"""What the page knows of the gateway: its records (gateway/web/lib/records.ts) and the problems that it proposes."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

import pytest
from pydantic import BaseModel

from kit.contracts import design, findings, outcomes, runs
from kit.library import nearest

WEB = Path(__file__).parents[2] / "gateway" / "web"
RECORDS = (WEB / "lib" / "records.ts").read_text()
RECORD = re.compile(r"^export interface (\w+) \{(.*?)^\}|^export interface (\w+) \{(.*)\}$", re.DOTALL | re.MULTILINE)
NESTED = re.compile(r"\{[^{}]*\}")
FIELD = re.compile(r"(\w+)\??:")
CALLED = {"Progress": "TrainingProgress"}  # where the page has a shorter name
OURS = {"Named"}  # of the page alone: a name and a formula
MODULES = (design, findings, outcomes, runs)


def found(name: str) -> type:
    return next(getattr(module, name) for module in MODULES if hasattr(module, name))


def interfaces() -> dict[str, set[str]]:
    """Their fields; those of objects within are left out."""
    fields = {}
    for long, body, short, line in RECORD.findall(RECORDS):
        text = body or line
        while NESTED.search(text):
            text = NESTED.sub("", text)
        fields[long or short] = set(FIELD.findall(text))
    return fields


@pytest.mark.parametrize("name", sorted(interfaces().keys() - OURS))
def test_a_record_of_the_page_has_only_fields_that_are_sent(name: str) -> None:
    record = found(CALLED.get(name, name))
    assert issubclass(record, BaseModel)
    assert interfaces()[name] <= set(record.model_fields)


@pytest.mark.parametrize("name", ["RunState", "VerdictKind", "PolicyKind", "Severity"])
def test_the_page_knows_every_name_of_an_enum(name: str) -> None:
    kind = found(name)
    assert issubclass(kind, StrEnum)
    (names,) = re.findall(rf"export type {name} =(.*?);", RECORDS, re.DOTALL)
    assert set(re.findall(r'"(\w+)"', names)) == {each.value for each in kind}


def test_the_problems_that_the_page_proposes_need_no_model() -> None:
    (examples,) = re.findall(
        r"const EXAMPLES = \[(.*?)\];", (WEB / "components" / "ProblemForm.tsx").read_text(), re.DOTALL
    )
    proposed = re.findall(r'"(.+?)"', examples)
    assert len(proposed) > 1
    assert [text for text in proposed if not nearest(text).near_enough] == []
