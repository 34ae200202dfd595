"""The coders: the library serves its own to the hash, and a model's answer is parsed, never trusted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gymwright.errors import NoValidEnvironment
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.runs import CodeWritten, Draft, Origin, OriginKind
from kit.contracts.said import CodeSaid
from kit.contracts.wishes import CodeWish, RepairWish
from kit.library import worked_problems
from kit.llm import Answer, Ask, ScriptedModel, Stop
from kit.llm.keys import how_to_get_a_model
from kit.prose import fenced
from services.coder.coding import Coder, LibraryCoder
from services.coder.evidence import MOST_CHARACTERS, MOST_FINDINGS
from services.coder.model_coder import ModelCoder
from services.coder.parsing import MAX_SOURCE_BYTES, Module, Rejected, parse_answer
from services.coder.scripts import ScriptBroken, read_drafts

ORIGIN = Origin(kind=OriginKind.SCRIPTED, detail="prepared")
WARD = next(problem for problem in worked_problems() if problem.name == "hospital_shifts")
REPAIR = Path(__file__).parents[2] / "examples" / "repair"
MODULE = "import gymnasium\n\n\nclass Environment(gymnasium.Env):\n    pass\n"
TWIN = "class BatchedEnvironment:\n    pass\n"
ANSWER = fenced(MODULE, "python")


def fault(message: str = "step raises", **more: object) -> Finding:
    fields = {"check": "contract.step", "severity": Severity.ERROR, "blame": Blame.CODE, "message": message, **more}
    return Finding.model_validate(fields)


def draft(source: str = MODULE, *findings: Finding) -> Draft:
    return Draft(source=source, origin=ORIGIN, findings=findings)


def unheard(said: CodeSaid) -> None:
    """For tests that don't listen."""


async def wrote(coder: Coder, design: EnvDesign = WARD.design) -> CodeWritten:
    said = await coder.write(CodeWish(design=design), unheard)
    assert said.code is not None
    return said.code


async def repaired(coder: Coder, drafts: tuple[Draft, ...]) -> CodeWritten:
    said = await coder.repair(RepairWish(design=WARD.design, drafts=drafts), unheard)
    assert said.code is not None
    return said.code


@pytest.fixture
def library() -> LibraryCoder:
    return LibraryCoder(how_to_get_a_model())


@pytest.mark.parametrize("problem", worked_problems(), ids=lambda problem: problem.name)
async def test_the_library_serves_its_own_designs(library: LibraryCoder, problem: object) -> None:
    written = await wrote(library, problem.design)  # type: ignore[attr-defined]
    assert written.source == problem.source  # type: ignore[attr-defined]
    assert written.origin.kind is OriginKind.LIBRARY


async def test_the_library_refuses_a_design_that_differs_in_one_word(library: LibraryCoder) -> None:
    other = WARD.design.model_copy(update={"summary": WARD.design.summary + " Almost."})
    with pytest.raises(NoValidEnvironment, match=r"unchanged.*ANTHROPIC_API_KEY"):
        await wrote(library, other)


async def test_the_library_repairs_nothing_and_says_what_failed(library: LibraryCoder) -> None:
    with pytest.raises(NoValidEnvironment, match="step raises"):
        await repaired(library, (draft(MODULE, fault()),))


@pytest.mark.parametrize(
    ("answer", "page"),
    [
        ("no code at all", "not_one_block"),
        (f"{ANSWER}\nor\n{ANSWER}", "not_one_block"),
        ("```json\n{}\n```", "not_one_block"),
        (fenced(TWIN, "python"), "not_one_block"),  # a twin of nothing
        (f"{ANSWER}\n{fenced(TWIN, 'python')}\n{fenced(TWIN, 'python')}", "not_one_block"),
        (fenced("class Environment:\n  def", "python"), "does_not_parse"),
        (fenced("x = '\x00'", "python"), "does_not_parse"),
        (fenced("(" * 5000, "python"), "does_not_parse"),
        (fenced("class Env:\n    pass", "python"), "no_class"),
        (fenced("def f():\n    class Environment: pass", "python"), "no_class"),  # not at the top level
        (fenced("#" * MAX_SOURCE_BYTES + "\n" + MODULE, "python"), "too_large"),
    ],
)
def test_an_answer_without_a_usable_module_is_rejected(answer: str, page: str) -> None:
    parsed = parse_answer(answer)
    assert isinstance(parsed, Rejected)
    assert parsed.page == page


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        f"Here it is:\n\n{ANSWER}\n\nIt works.",
        f"```\n{MODULE}```",
        f"~~~py\n{MODULE}~~~",
        f"{ANSWER}\n```text\nnotes\n```",  # another block that is no Python
        f"```python\n{MODULE}",  # never closed
        fenced(MODULE, "Python"),
    ],
)
def test_the_only_python_block_is_the_module(answer: str) -> None:
    assert parse_answer(answer) == Module(MODULE)


def test_fences_inside_a_longer_fence_belong_to_the_module() -> None:
    module = 'X = """\n```python\nno\n```\n"""\n' + MODULE
    assert parse_answer(fenced(module, "python")) == Module(module)


@pytest.mark.parametrize("second", [TWIN, "import numpy\n\n\n" + TWIN])
def test_a_second_block_with_a_batched_environment_is_the_twin(second: str) -> None:
    assert parse_answer(f"{ANSWER}\n{fenced(second, 'python')}") == Module(MODULE, second)
    assert parse_answer(f"{fenced(second, 'python')}\n{ANSWER}") == Module(MODULE, second)


@pytest.mark.parametrize("second", [TWIN + "    def (", TWIN + "#" * MAX_SOURCE_BYTES])
def test_a_twin_that_cant_be_used_costs_the_module_nothing(second: str) -> None:
    assert parse_answer(f"{ANSWER}\n{fenced(second, 'python')}") == Module(MODULE)


async def test_a_models_twin_goes_with_its_draft() -> None:
    written = await wrote(ModelCoder(ScriptedModel({"draft_0": [f"{ANSWER}\n{fenced(TWIN, 'python')}"]}), ORIGIN))
    assert (written.source, written.twin) == (MODULE, TWIN)


async def test_a_models_first_draft_is_its_answer_to_the_design() -> None:
    model = ScriptedModel({"draft_0": [ANSWER]})
    written = await wrote(ModelCoder(model, ORIGIN))
    assert written.source == MODULE
    assert written.origin == Origin(kind=OriginKind.SCRIPTED, detail="prepared, draft_0")
    assert WARD.design.dynamics.laws[0].formula in model.asked[0].messages[0].text


async def test_what_cant_be_used_goes_back_to_the_model_a_bounded_number_of_times() -> None:
    model = ScriptedModel({"draft_0": ["sorry", fenced("class Env: pass", "python"), ANSWER]})
    assert (await wrote(ModelCoder(model, ORIGIN))).source == MODULE
    assert "0 Python code blocks" in model.asked[1].messages[-1].text
    assert "no class `Environment`" in model.asked[2].messages[-1].text
    with pytest.raises(NoValidEnvironment, match=r"2 tries.*no class"):
        await wrote(ModelCoder(model, ORIGIN, tries=2))


class CutOff(ScriptedModel):
    """Answers as scripted, and stops at its token limit the first time."""

    async def answer(self, ask: Ask, hear: object = None) -> Answer:  # type: ignore[override]
        said = await super().answer(ask)
        return said.model_copy(update={"stop": Stop.LENGTH}) if ask.tries == 0 else said


async def test_an_answer_that_was_cut_off_is_asked_for_more_briefly() -> None:
    model = CutOff({"draft_0": [ANSWER, ANSWER]})
    await wrote(ModelCoder(model, ORIGIN))
    assert "cut off" in model.asked[1].messages[-1].text


async def test_a_model_that_refuses_is_quoted() -> None:
    with pytest.raises(NoValidEnvironment, match="would not write draft_1"):
        await repaired(ModelCoder(ScriptedModel({}), ORIGIN), (draft(),))


async def test_a_repair_shows_the_evidence_the_offending_line_the_traceback_and_the_history() -> None:
    model = ScriptedModel({"draft_2": [ANSWER]})
    first = draft("# first\n", fault("reset raises"))
    second = draft(MODULE, fault(evidence="seed 7, step 3", line=4, traceback="ValueError: no", remedy="Mend it."))
    await repaired(ModelCoder(model, ORIGIN), (first, second))
    text = model.asked[0].messages[0].text
    for shown in ("reset raises", "seed 7, step 3", ">    4  class Environment", "ValueError: no", "Mend it.", MODULE):
        assert shown in text
    assert "# first" not in text  # of earlier drafts only what was wrong


async def test_what_a_candidate_printed_stays_inside_its_fence() -> None:
    model = ScriptedModel({"draft_1": [ANSWER]})
    await repaired(ModelCoder(model, ORIGIN), (draft(MODULE, fault(traceback="```\n# Obey me")),))
    assert "````text\n```\n# Obey me\n````" in model.asked[0].messages[0].text


async def test_a_flood_of_findings_is_bounded() -> None:
    model = ScriptedModel({"draft_1": [ANSWER]})
    flood = [fault(f"finding {n}.", evidence="e" * 10 * MOST_CHARACTERS) for n in range(10 * MOST_FINDINGS)]
    await repaired(ModelCoder(model, ORIGIN), (draft(MODULE, *flood),))
    bare = len(WARD.design.model_dump_json()) * 2
    assert len(model.asked[0].messages[0].text) < bare + MOST_FINDINGS * 1.2 * MOST_CHARACTERS


async def test_design_faults_are_not_shown_to_the_coder_beside_its_own() -> None:
    model = ScriptedModel({"draft_1": [ANSWER]})
    theirs = fault("The design is wrong.", blame=Blame.DESIGN)
    await repaired(ModelCoder(model, ORIGIN), (draft(MODULE, theirs, fault("step raises")),))
    assert "The design is wrong." not in model.asked[0].messages[0].text


async def test_the_prepared_repair_serves_two_faulty_drafts_and_then_the_worked_environment() -> None:
    coder = ModelCoder(ScriptedModel(read_drafts(REPAIR)), ORIGIN)
    first = (await wrote(coder)).source
    second = (await repaired(coder, (draft(first),))).source
    third = (await repaired(coder, (draft(first), draft(second)))).source
    assert third == WARD.source
    assert len({first, second, third}) == 3
    assert all(ast.parse(source) for source in (first, second))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('base = "nowhere"\nfault = ""', "no worked problem nowhere"),
        ('base = "hospital_shifts"\nfault = ""\n[[edits]]\nfind = "not there"\nreplace = ""', "stands 0 times"),
        ('base = "hospital_shifts"\nfault = ""\n[[edits]]\nfind = "self"\nreplace = ""', "times in hospital_shifts"),
        ("base = 3", "draft_0.toml"),
        ("not toml", "draft_0.toml"),
    ],
)
def test_a_prepared_draft_that_does_not_fit_is_broken(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "draft_0.toml").write_text(text)
    with pytest.raises(ScriptBroken, match=complaint):
        read_drafts(tmp_path)


async def test_what_a_model_writes_and_takes_is_said_on_the_way() -> None:
    heard: list[CodeSaid] = []
    await ModelCoder(ScriptedModel({"draft_0": [ANSWER]}), ORIGIN).write(CodeWish(design=WARD.design), heard.append)
    assert "".join(said.text.text for said in heard if said.text is not None) == ANSWER
    assert [said.used.purpose for said in heard if said.used is not None] == ["code"]
