"""Designs, questions and advice written by hand for problems in people's own words go through the product's door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.contracts.design import EnvDesign, FitVerdict, Source
from kit.contracts.findings import Severity
from kit.contracts.formulas import compile_design
from kit.contracts.linting import lint, pinned
from kit.contracts.runs import Origin, OriginKind
from kit.contracts.said import DesignSaid
from kit.contracts.wishes import DesignWish, QuestionAnswered
from kit.llm import ScriptedModel
from services.designer.model_designer import ModelDesigner

WRITTEN = Path(__file__).parent.parent / "designs"
PROBLEMS = [json.loads(line) for line in (WRITTEN / "problems.jsonl").read_text().splitlines()]
LEAST_PINNED = 0.6


def those(*fits: str) -> pytest.MarkDecorator:
    chosen = [problem for problem in PROBLEMS if problem["fit"] in fits]
    return pytest.mark.parametrize("problem", chosen, ids=[problem["id"] for problem in chosen])


def design_for(problem: dict[str, str]) -> EnvDesign:
    return EnvDesign.model_validate_json((WRITTEN / f"{problem['id']}.json").read_text())


async def answer(text: str, problem: dict[str, str], *answered: QuestionAnswered) -> DesignSaid:
    """What the designer makes of it when a model says this at its only try."""
    model = ScriptedModel({"design": [text]})
    designer = ModelDesigner(model, Origin(kind=OriginKind.SCRIPTED, detail="by hand"), tries=1, coverage=LEAST_PINNED)
    return await designer.design(DesignWish(problem=problem["problem"], answered=answered), lambda said: None)


def test_every_problem_has_its_answer_and_no_answer_is_left_over() -> None:
    designs = {path.stem for path in WRITTEN.glob("*.json")}
    answers = {path.stem for path in (WRITTEN / "answers").glob("*.json")}
    assert designs == {problem["id"] for problem in PROBLEMS if problem["fit"] != "not_rl"}
    assert answers == {problem["id"] for problem in PROBLEMS if problem["fit"] != "rl"}


@those("rl")
async def test_a_written_design_is_taken_at_the_first_try(problem: dict[str, str]) -> None:
    said = await answer((WRITTEN / f"{problem['id']}.json").read_text(), problem)
    assert said.design is not None
    assert said.design.design == design_for(problem)


@those("not_rl")
async def test_an_unsuitable_problem_ends_with_the_better_tool_and_why(problem: dict[str, str]) -> None:
    said = await answer((WRITTEN / "answers" / f"{problem['id']}.json").read_text(), problem)
    assert said.design is None
    assert said.advice is not None
    assert problem["tool"] in said.advice.better_tool
    assert said.advice.why


@those("unclear")
async def test_an_unclear_problem_ends_with_one_question_whose_answer_makes_a_design(problem: dict[str, str]) -> None:
    said = await answer((WRITTEN / "answers" / f"{problem['id']}.json").read_text(), problem)
    assert said.design is None
    assert said.question is not None
    assert said.question.count("?") == 1
    replied = QuestionAnswered(question=said.question, answer=problem["reply"])
    said = await answer((WRITTEN / f"{problem['id']}.json").read_text(), problem, replied)
    assert said.design is not None


@those("rl", "unclear")
def test_a_written_design_lints_without_error_or_warning(problem: dict[str, str]) -> None:
    faults = [f"{f.check}: {f.message}" for f in lint(design_for(problem)) if f.severity is not Severity.NOTE]
    assert faults == []


@those("rl", "unclear")
def test_a_written_design_pins_down_most_of_its_state(problem: dict[str, str]) -> None:
    design = design_for(problem)
    said = pinned(compile_design(design))
    assert sum(variable.name in said for variable in design.state) >= LEAST_PINNED * len(design.state)


@those("rl", "unclear")
def test_a_written_design_has_the_kind_of_action_that_the_problem_wants(problem: dict[str, str]) -> None:
    design = design_for(problem)
    assert design.action.kind == problem["action"]
    assert design.fit.verdict is FitVerdict.RL


@those("rl", "unclear")
def test_every_assumption_of_a_written_design_has_a_reason(problem: dict[str, str]) -> None:
    assert [p.name for p in design_for(problem).parameters if p.source is Source.ASSUMED and not p.why] == []
