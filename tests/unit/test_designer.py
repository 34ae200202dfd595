"""The designers: the library answers or refuses in words that help, a model's answer is validated and linted."""

from __future__ import annotations

import pytest

from gymwright.errors import NoSuitableProblem, NoValidDesign, ProblemRejected
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.runs import Origin, OriginKind
from kit.library import worked_problems
from kit.llm import ScriptedModel
from kit.llm.keys import how_to_get_a_model
from services.designer.designing import MAX_CHARACTERS, LibraryDesigner, problem_text
from services.designer.model_designer import ModelDesigner

ORIGIN = Origin(kind=OriginKind.SCRIPTED, detail="prepared")
WARD = next(problem.design for problem in worked_problems() if problem.name == "hospital_shifts")
DESIGN_FAULT = Finding(check="x", severity=Severity.ERROR, blame=Blame.DESIGN, message="fatigue can't reach its bound")


@pytest.fixture
def library() -> LibraryDesigner:
    return LibraryDesigner(how_to_get_a_model())


async def test_the_library_answers_with_the_nearest_worked_problem_and_says_how_near(library: LibraryDesigner) -> None:
    written = await library.design("Optimise hospital shift scheduling")
    assert written.design == WARD
    assert written.origin.kind is OriginKind.LIBRARY
    assert written.origin.similarity == pytest.approx(1)
    assert "hospital_shifts" in written.origin.detail


async def test_the_origin_says_that_the_numbers_are_the_worked_problems_own(library: LibraryDesigner) -> None:
    written = await library.design("Nurse scheduling for a ward with 12 beds and 9 nurses")
    assert "the numbers are its own" in written.origin.detail


async def test_a_refusal_says_what_the_library_covers_and_which_variables_to_set(library: LibraryDesigner) -> None:
    with pytest.raises(NoSuitableProblem) as refusal:
        await library.design("Play chess")
    for word in (*(problem.name for problem in worked_problems()), "ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        assert word in str(refusal.value)


async def test_the_library_revises_nothing_and_says_why(library: LibraryDesigner) -> None:
    with pytest.raises(NoValidDesign, match="fatigue can't reach its bound"):
        await library.revise("Hospital shifts", WARD, (DESIGN_FAULT,))


@pytest.mark.parametrize(
    ("problem", "complaint"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("x" * (MAX_CHARACTERS + 1), "characters"),
        ("\x00\x01ELF", "control characters"),
        ("ok \x1b[31m red", "control characters"),
        ("\ud800 half a pair", "control characters"),
        ("12345 !?", "no words"),
    ],
)
def test_what_is_no_problem_text_is_rejected(problem: str, complaint: str) -> None:
    with pytest.raises(ProblemRejected, match=complaint):
        problem_text(problem)


@pytest.mark.parametrize("problem", ["Heiz das Büro", "病院のシフト", "two\nlines\tand a tab", "x" * MAX_CHARACTERS])
def test_any_language_and_the_longest_allowed_text_is_a_problem(problem: str) -> None:
    assert problem_text(f" {problem} ") == problem


async def test_a_models_design_is_taken_from_its_answer() -> None:
    designer = ModelDesigner(ScriptedModel({"design": [f"Here:\n```json\n{WARD.model_dump_json()}\n```"]}), ORIGIN)
    written = await designer.design("Staff the ward")
    assert written.design == WARD
    assert written.origin == Origin(kind=OriginKind.SCRIPTED, detail="prepared, design")


async def test_what_is_wrong_with_a_design_goes_back_to_the_model() -> None:
    unknown_name = WARD.model_dump_json().replace('"state.patients / params.beds"', '"state.patience / params.beds"')
    model = ScriptedModel({"design": ["no JSON", unknown_name, WARD.model_dump_json()]})
    assert (await ModelDesigner(model, ORIGIN).design("Staff the ward")).design == WARD
    complaints = [asked.messages[-1].text for asked in model.asked[1:]]
    assert "Invalid JSON" in complaints[0]
    assert "patience" in complaints[1]


async def test_a_model_that_never_designs_validly_ends_with_the_last_complaint() -> None:
    model = ScriptedModel({"design": ["{}"] * 5})
    with pytest.raises(NoValidDesign, match=r"no valid design in 2 tries.*Field required"):
        await ModelDesigner(model, ORIGIN, tries=2).design("Staff the ward")
    assert len(model.asked) == 2


async def test_a_model_that_refuses_is_quoted() -> None:
    with pytest.raises(NoValidDesign, match="would not write a design"):
        await ModelDesigner(ScriptedModel({}), ORIGIN).design("Staff the ward")


async def test_a_revision_shows_the_model_the_design_the_findings_and_the_form() -> None:
    model = ScriptedModel({"revision": [WARD.model_dump_json()]})
    written = await ModelDesigner(model, ORIGIN).revise("Staff the ward", WARD, (DESIGN_FAULT,))
    asked = model.asked[0]
    assert written.origin.detail == "prepared, revision"
    assert asked.form is EnvDesign
    assert "fatigue can't reach its bound" in asked.messages[0].text
    assert '"hospital_shifts"' in asked.messages[0].text
