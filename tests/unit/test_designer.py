"""The designers: the library answers or refuses in words that help, a model's answer is validated and linted."""

from __future__ import annotations

import pytest

from gymwright.errors import BudgetSpent, NoSuitableProblem, NoValidDesign, ProblemRejected
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.linting import lint
from kit.contracts.runs import DesignWritten, Origin, OriginKind
from kit.contracts.said import DesignSaid
from kit.contracts.wishes import DesignWish, QuestionAnswered, RevisionWish
from kit.library import worked_problems
from kit.llm import ScriptedModel
from kit.llm.keys import how_to_get_a_model
from kit.problem_text import MAX_CHARACTERS, problem_text
from services.designer.designing import Designer, LibraryDesigner
from services.designer.model_designer import ModelDesigner

ORIGIN = Origin(kind=OriginKind.SCRIPTED, detail="prepared")
WARD = next(problem.design for problem in worked_problems() if problem.name == "hospital_shifts")
DESIGN_FAULT = Finding(check="x", severity=Severity.ERROR, blame=Blame.DESIGN, message="fatigue can't reach its bound")


def unheard(said: DesignSaid) -> None:
    """For tests that don't listen."""


async def designed(designer: Designer, problem: str = "Staff the ward") -> DesignWritten:
    said = await designer.design(DesignWish(problem=problem), unheard)
    assert said.design is not None
    return said.design


async def revised(designer: Designer) -> DesignWritten:
    wish = RevisionWish(problem="Staff the ward", design=WARD, findings=(DESIGN_FAULT,))
    said = await designer.revise(wish, unheard)
    assert said.design is not None
    return said.design


@pytest.fixture
def library() -> LibraryDesigner:
    return LibraryDesigner(how_to_get_a_model())


async def test_the_library_answers_with_the_nearest_worked_problem_and_says_how_near(library: LibraryDesigner) -> None:
    written = await designed(library, "Optimise hospital shift scheduling")
    assert written.design == WARD
    assert written.origin.kind is OriginKind.LIBRARY
    assert written.origin.similarity == pytest.approx(1)
    assert "hospital_shifts" in written.origin.detail


async def test_the_origin_says_that_the_numbers_are_the_worked_problems_own(library: LibraryDesigner) -> None:
    written = await designed(library, "Nurse scheduling for a ward with 12 beds and 9 nurses")
    assert "the numbers are its own" in written.origin.detail


async def test_a_refusal_says_what_the_library_covers_and_which_variables_to_set(library: LibraryDesigner) -> None:
    with pytest.raises(NoSuitableProblem) as refusal:
        await designed(library, "Play chess")
    for word in (*(problem.name for problem in worked_problems()), "ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        assert word in str(refusal.value)


async def test_the_library_revises_nothing_and_says_why(library: LibraryDesigner) -> None:
    with pytest.raises(NoValidDesign, match="fatigue can't reach its bound"):
        await revised(library)


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
    written = await designed(designer)
    assert written.design == WARD
    assert written.origin == Origin(kind=OriginKind.SCRIPTED, detail="prepared, design")


async def test_what_is_wrong_with_a_design_goes_back_to_the_model() -> None:
    unknown_name = WARD.model_dump_json().replace('"state.patients / params.beds"', '"state.patience / params.beds"')
    model = ScriptedModel({"design": ["no JSON", unknown_name, WARD.model_dump_json()]})
    assert (await designed(ModelDesigner(model, ORIGIN))).design == WARD
    complaints = [asked.messages[-1].text for asked in model.asked[1:]]
    assert "Invalid JSON" in complaints[0]
    assert "patience" in complaints[1]


async def test_a_model_that_never_designs_validly_ends_with_the_last_complaint() -> None:
    model = ScriptedModel({"design": ["{}"] * 5})
    with pytest.raises(NoValidDesign, match=r"no valid design in 2 tries.*Field required"):
        await designed(ModelDesigner(model, ORIGIN, tries=2))
    assert len(model.asked) == 2


async def test_a_model_that_refuses_is_quoted() -> None:
    with pytest.raises(NoValidDesign, match="would not write a design"):
        await designed(ModelDesigner(ScriptedModel({}), ORIGIN))


async def test_a_revision_shows_the_model_the_design_the_findings_and_the_form() -> None:
    model = ScriptedModel({"revision": [WARD.model_dump_json()]})
    written = await revised(ModelDesigner(model, ORIGIN))
    asked = model.asked[0]
    assert written.origin.detail == "prepared, revision"
    assert asked.form is EnvDesign
    assert "fatigue can't reach its bound" in asked.messages[0].text
    assert '"hospital_shifts"' in asked.messages[0].text


async def test_a_model_may_ask_one_question_instead() -> None:
    model = ScriptedModel({"design": ['{"kind": "QUESTION", "question": "What counts as better?"}']})
    said = await ModelDesigner(model, ORIGIN).design(DesignWish(problem="Make it better"), unheard)
    assert said == DesignSaid(question="What counts as better?")


async def test_what_was_asked_and_answered_stands_in_the_next_prompt() -> None:
    model = ScriptedModel({"design": [WARD.model_dump_json()]})
    answered = QuestionAnswered(question="What counts as better?", answer="Fewer idle nurses.")
    wish = DesignWish(problem="Make it better", answered=(answered,))
    await ModelDesigner(model, ORIGIN).design(wish, unheard)
    assert "What counts as better?" in model.asked[0].messages[0].text
    assert "Fewer idle nurses." in model.asked[0].messages[0].text


async def test_a_model_may_advise_another_tool() -> None:
    advice = '{"verdict": "BETTER_TOOL", "why": "Nothing is decided in sequence.", "better_tool": "a classifier"}'
    model = ScriptedModel({"design": [f'{{"kind": "ADVICE", "advice": {advice}}}']})
    said = await ModelDesigner(model, ORIGIN).design(DesignWish(problem="Sort my mail"), unheard)
    assert said.advice is not None
    assert said.advice.better_tool == "a classifier"


async def test_someone_who_insists_is_heard() -> None:
    model = ScriptedModel({"design": [WARD.model_dump_json()]})
    await ModelDesigner(model, ORIGIN).design(DesignWish(problem="Sort my mail", insist=True), unheard)
    assert "also where another tool would serve better" in model.asked[0].messages[0].text


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ('{"kind": "QUESTION"}', "exactly the part question"),
        ('{"kind": "QUESTION", "question": "  "}', "exactly the part question"),
        ('{"kind": "DESIGN", "question": "Why?"}', "exactly the part design"),
        ('{"kind": "ADVICE", "advice": {"verdict": "RL", "why": ""}}', "names the better_tool"),
        ('{"kind": "SONG"}', "DESIGN"),
    ],
)
async def test_an_answer_of_no_kind_goes_back(answer: str, complaint: str) -> None:
    model = ScriptedModel({"design": [answer, WARD.model_dump_json()]})
    await designed(ModelDesigner(model, ORIGIN))
    assert complaint in model.asked[1].messages[-1].text


LAWLESS = WARD.model_copy(
    update={"dynamics": WARD.dynamics.model_copy(update={"laws": (), "invariants": (), "expected": ()})}
)


async def test_a_design_that_pins_little_down_is_asked_for_again() -> None:
    model = ScriptedModel({"design": [LAWLESS.model_dump_json(), WARD.model_dump_json()]})
    assert (await designed(ModelDesigner(model, ORIGIN, coverage=0.6))).design == WARD
    assert f"Only 0 of the {len(WARD.state)} state variables" in model.asked[1].messages[-1].text


@pytest.mark.parametrize("second", ["no JSON", LAWLESS.model_dump_json()], ids=["not valid", "no better"])
async def test_a_second_design_that_is_no_better_is_not_taken_and_no_third_is_asked_for(second: str) -> None:
    model = ScriptedModel({"design": [LAWLESS.model_dump_json(), second]})
    assert (await designed(ModelDesigner(model, ORIGIN, coverage=0.6))).design == LAWLESS
    assert len(model.asked) == 2


async def test_what_the_linter_warns_of_goes_back_once_and_the_better_design_is_taken() -> None:
    huge = WARD.observation[0].model_copy(update={"high": 5000.0})
    warned = WARD.model_copy(update={"observation": (huge, *WARD.observation[1:])})
    (fault,) = [finding.message for finding in lint(warned) if finding.severity is Severity.WARNING]
    model = ScriptedModel({"design": [warned.model_dump_json(), WARD.model_dump_json()]})
    assert (await designed(ModelDesigner(model, ORIGIN))).design == WARD
    assert fault in model.asked[1].messages[-1].text


async def test_what_a_model_writes_and_takes_is_said_on_the_way() -> None:
    heard: list[DesignSaid] = []
    model = ScriptedModel({"design": [WARD.model_dump_json()]})
    await ModelDesigner(model, ORIGIN).design(DesignWish(problem="Staff the ward"), heard.append)
    assert "".join(said.text.text for said in heard if said.text is not None) == WARD.model_dump_json()
    assert [said.used.purpose for said in heard if said.used is not None] == ["design"]


async def test_a_run_that_has_spent_its_budget_asks_no_model() -> None:
    model = ScriptedModel({"design": [WARD.model_dump_json()]})
    with pytest.raises(BudgetSpent, match="max_cost_usd"):
        await ModelDesigner(model, ORIGIN).design(DesignWish(problem="Staff the ward", budget_usd=0.0), unheard)
    assert not model.asked
