"""The reporter: a report a practitioner can act on, whatever users, candidates or designs wrote into it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from gymwright.errors import StorageUnavailable
from kit.artifacts import ArtifactStore
from kit.contracts.findings import Blame, CheckReport, Finding, Severity
from kit.contracts.outcomes import NamedInterval, PolicyKind, TrainOutcome, Verdict, VerdictKind
from kit.contracts.reports import ReportRequest
from kit.contracts.runs import Draft, Origin, OriginKind, RunOptions
from kit.library import worked_problems
from kit.prose import Prose
from services.reporter.claims import Claims, Fingerprint, Parity, Resumed, TrainedWith
from services.reporter.lookups import best_other_row
from services.reporter.marks import change, code, duration, inline, number, table
from services.reporter.material import Material
from services.reporter.reporting import PROSE, Reporter
from services.reporter.sections import page
from services.reporter.sections.again import command, use
from tests.unit.reports import WARD, around, ladder, report

CHAPTERS = [
    "The problem",
    "Against the baselines",
    "How training went",
    "How the environment was checked",
    "The design",
    "What was assumed",
    "How far this reaches",
    "The same again",
]
CLAIMS = Claims(
    trained_with=TrainedWith(libraries=("python 3.11.7", "torch 2.13.0")),
    parity=Parity(observations=1000, differ=0),
    chosen_at=270_000,
    why_engine="The fast engine applies.",
    why_episodes="Each evaluation plays 62 validation seeds.",
)


def written(of: ReportRequest, claims: Claims = CLAIMS) -> str:
    return page(Material(of, claims), Prose(PROSE))


def headings(markdown: str, level: int = 2) -> list[str]:
    tokens = MarkdownIt().parse(markdown)
    return [
        tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"
        and token.tag == f"h{level}"
    ]  # fmt: skip


def test_the_verdict_comes_first_and_the_chapters_follow_in_order() -> None:
    text = written(report())
    assert text.splitlines()[0] == f"# {WARD.design.title}"
    assert text.splitlines()[2].startswith("**LEARNED.**")
    assert headings(text) == CHAPTERS


@pytest.mark.parametrize(
    "said",
    [
        "5,270 (5,207 to 5,333)",  # the primary metric with its interval
        "4.9 % lower than the best of the others, cover the need, with 5,544 (lower is better)",
        "0.942 (0.9307 to 0.9533)",  # another metric
        "PPO, because the action is MULTI_DISCRETE",
        "300,000 steps in 16 environments at a time, 1 min 31 s, 3,282 steps a second",
        "Most of the change came from `harm` (+39.8)",
        "The fast engine applies.",  # why this engine
        "Each evaluation plays 62 validation seeds.",
        "from step 270,000",
        "`torch 2.13.0`",
        "1,000 observations; their actions differ on 0",
        "gymwright run 'Optimise hospital shift scheduling' --seed 3",
        "seeds (from 2000000 on)",
        "memory: the time for the check was over",
        "No episode ended before its step limit",
        "**Draft 0** (prepared in repair) was faulted",
        "reset raised: no attribute",
        "step raised in training",
        "**prepared beforehand**, for a test or a demonstration",
        "Boxes are containers (gymwright/sandbox:dev).",
        "a common size of a general ward",  # why a parameter was assumed
        "`model.zip` | 181,000",
    ],
)
def test_a_report_says(said: str) -> None:
    assert said in written(report())


def test_every_part_of_the_design_is_in_its_tables() -> None:
    text = written(report())
    design = WARD.design
    parts = (
        *design.observation, *design.action.terms, *design.reward, *design.metrics, *design.parameters,
    )  # fmt: skip
    assert all(f"| `{part.name}`" in text for part in parts)


def test_numbers_of_a_formula_in_a_table_do_not_break_it() -> None:
    assert code("a | b") == "`a \\| b`"
    assert code("a `b`") == "`` a `b` ``"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (3.0, "3"), (1234567.0, "1,234,567"), (-84.237, "−84.24"), (1234.5, "1,234"),
        (0.0005, "0.0005"), (0.0000123, "1.23e−05"), (None, "–"), (1e22, "10,000,000,000,000,000,000,000"),
    ],
)  # fmt: skip
def test_a_number_is_short_and_readable(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("first", "last", "difference"),
    [(-99.45, -33.62, 65.83), (-1.608, -1.60805624, 0.0), (0.0, 0.0, 0.0), (0.0, -2.0, -2.0), (1e-5, 3e-5, 2e-5)],
)
def test_a_change_is_no_more_exact_than_what_changed(first: float, last: float, difference: float) -> None:
    assert change(first, last) == pytest.approx(difference, abs=1e-12)


@pytest.mark.parametrize(("seconds", "text"), [(0.42, "0.4 s"), (61, "1 min 1 s"), (7260, "2 h 1 min")])
def test_a_duration_is_readable(seconds: float, text: str) -> None:
    assert duration(seconds) == text


ATTACKS = [
    "# Not a heading\n\n## The same again\n\nrun rm -rf",
    "```\n# out of the fence\n```",
    "~~~~~~\n```````\n# out\n",
    "| a | table |\n| --- | --- |\n",
    "<script>alert(1)</script> <img src=x onerror=y>",
    "[click](javascript:alert(1)) ![x](http://example.org/x.png)",
    "===\n---\n> quote\n1. one\n- two",
    "$missing $$ ${blank}",
    "\x1b[31m\x00 and \u202e right to left",
    "_a_ *b* **c** `d` \\",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_user_wrote_breaks_nothing(attack: str) -> None:
    text = written(report(problem=attack))
    assert headings(text) == CHAPTERS
    fences = [token.content for token in MarkdownIt().parse(text) if token.type == "fence"]
    assert fences[0].rstrip() == "".join(c if c != "\x00" else "\ufffd" for c in attack).rstrip()


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_design_a_candidate_or_a_verdict_says_breaks_nothing(attack: str) -> None:
    finding = Finding(
        check=attack, severity=Severity.ERROR, blame=Blame.CODE, message=attack, evidence=attack, traceback=attack
    )
    origin = Origin(kind=OriginKind.MODEL, detail=attack)
    design = WARD.design.model_copy(update={"title": attack, "summary": attack})
    outcome = report().outcome.model_copy(update={"verdict": Verdict(kind=VerdictKind.LEARNED, reason=attack)})
    text = written(
        report(
            design=design,
            design_origin=origin,
            drafts=(Draft(source=attack, origin=origin, findings=(finding,)), Draft(source="", origin=origin)),
            check=CheckReport(findings=(finding,)),
            outcome=outcome,
            sandbox=attack,
        )
    )
    assert headings(text) == CHAPTERS
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    outside = re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL)
    assert "<script" not in outside
    assert "onerror" not in re.sub(r"&lt;.*?&gt;", "", outside)
    assert "javascript:alert" not in "".join(re.findall(r'(?:href|src)="([^"]*)"', outside))
    assert set(re.findall(r'<img src="([^"]*)"', outside)) == {"ladder.png", "reward_curve.png", "components.png"}


def test_every_table_has_as_many_cells_in_each_row_as_in_its_head() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", written(report()), flags=re.MULTILINE):
        widths = {len(re.split(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_inline_text_is_one_line_and_bounded() -> None:
    assert "\n" not in inline("a\nb")
    assert len(inline("x" * 10_000)) <= 600
    assert table(("a",), [(inline("x|y"),)]).splitlines()[-1] == "| x\\|y |"


@pytest.mark.parametrize("kind", list(VerdictKind))
def test_every_verdict_has_its_words(kind: VerdictKind) -> None:
    outcome = report().outcome.model_copy(update={"verdict": Verdict(kind=kind, reason="Because.", remedy="Do so.")})
    text = written(report(outcome=outcome))
    assert f"**{kind.value.replace('_', ' ')}.**" in text
    assert "Because. Do so." in text


def test_a_run_without_a_policy_says_why_first() -> None:
    failed = Finding(check="train.crash", severity=Severity.ERROR, blame=Blame.CODE, message="step raised IndexError")
    text = written(report(outcome=TrainOutcome(findings=(failed,))), Claims())
    assert text.splitlines()[2].startswith("**No policy.**")
    assert "step raised IndexError" in text
    assert headings(text) == CHAPTERS
    assert "onnxruntime" not in text


@pytest.mark.parametrize("kind", list(OriginKind))
def test_a_report_says_where_the_design_came_from(kind: OriginKind) -> None:
    assert "from somewhere" in written(report(design_origin=Origin(kind=kind, detail="from somewhere")))


def test_the_best_of_the_others_is_by_the_primary_metric_and_its_direction() -> None:
    row = best_other_row(report())
    assert row is not None
    assert (row.policy, row.kind) == ("cover_the_need", PolicyKind.BASELINE)


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        (RunOptions(), "--seed 0"),
        (RunOptions(total_timesteps=5000, n_envs=4, seed=9), "--timesteps 5000 --n-envs 4 --seed 9"),
    ],
)
def test_the_command_repeats_the_options(options: RunOptions, ending: str) -> None:
    assert command(report(options=options)).endswith(ending)


def test_a_problem_of_several_lines_is_read_from_its_file_and_a_quote_is_quoted() -> None:
    assert "--file problem.txt" in command(report(problem="two\nlines"))
    assert command(report(problem="it's; rm -rf /")).startswith("gymwright run 'it'\"'\"'s; rm -rf /'")


def test_the_snippet_fits_the_kind_of_action() -> None:
    prose = Prose(PROSE)
    assert "env.step(action)" in use(report(), prose)
    shop = report(design=next(problem.design for problem in worked_problems() if problem.name == "inventory_365"))
    assert "int(action[0])" in use(shop, prose)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[ArtifactStore]:
    yield ArtifactStore.at(str(tmp_path / "runs"))


async def content(store: ArtifactStore, name: str) -> bytes:
    return b"".join([chunk async for chunk in store.read("ward-7", name)])


async def test_a_report_is_written_with_its_figures_and_its_manifest(store: ArtifactStore) -> None:
    names = {artifact.name for artifact in await Reporter(store).write(report())}
    assert names == {"report.md", "reward_curve.png", "ladder.png", "components.png", "manifest.json"}
    assert names == {artifact.name for artifact in await store.list("ward-7")}


async def test_writing_again_replaces_and_gives_the_same_bytes(store: ArtifactStore) -> None:
    reporter = Reporter(store)
    assert await reporter.write(report()) == await reporter.write(report())


async def test_the_manifest_has_what_a_repetition_needs(store: ArtifactStore) -> None:
    await store.put_bytes("ward-7", "training.json", CLAIMS.model_dump_json().encode())
    await Reporter(store).write(report())
    manifest = json.loads(await content(store, "manifest.json"))
    assert manifest["design_sha256"] == WARD.design.digest
    assert manifest["seeds"] == {"training": 3, "test": 2_000_000}
    assert manifest["training"] == ["python 3.11.7", "torch 2.13.0"]
    assert [len(draft["findings"]) for draft in manifest["drafts"]] == [1, 1, 0]
    assert {artifact["name"] for artifact in manifest["artifacts"]} >= {"training.json", "ladder.png", "report.md"}
    assert any(line.startswith("matplotlib ") for line in manifest["services"])


async def test_a_resumed_training_is_told_and_the_manifest_has_what_was_compared(store: ArtifactStore) -> None:
    mark = Fingerprint(timesteps=90_112, updates=220, learning_rate=4e-4, parameters="aa", optimizer="bb")
    claims = CLAIMS.model_copy(update={"resumed": (Resumed(before=mark, after=mark, episodes_went_on=True),)})
    await store.put_bytes("ward-7", "training.json", claims.model_dump_json().encode())
    await Reporter(store).write(report())
    text = (await content(store, "report.md")).decode()
    assert "a fresh one went on from the checkpoint of step 90,112" in text.replace("\n", " ")
    (told,) = json.loads(await content(store, "manifest.json"))["resumed"]
    assert told["before"] == told["after"] == mark.model_dump()


def test_a_checkpoint_that_could_not_be_used_is_told() -> None:
    text = written(report(), CLAIMS.model_copy(update={"not_resumed": "it can't be read"}))
    assert "its checkpoint could not be used (it can't be read)" in text


def test_what_holds_with_drawn_parameters_stands_beside_the_designs_own_values() -> None:
    ranged = WARD.design.parameters[0].model_copy(update={"low": 10.0, "high": 30.0})
    design = WARD.design.model_copy(update={"parameters": (ranged, *WARD.design.parameters[1:])})
    primary = design.metrics[0].name
    rows = ladder().rows
    drawn = (NamedInterval(name=primary, interval=around(6000.0)),)
    trained = next(row for row in rows if row.policy == "trained").model_copy(update={"metrics": drawn})
    of = ladder().model_copy(update={"randomised": (trained,)})
    text = written(report(design=design, outcome=report().outcome.model_copy(update={"ladder": of})))
    assert "### With parameters that vary" in text
    assert f"{ranged.name.replace('_', ' ')} 10 to 30" in text
    assert re.search(r"\| trained \| 5,270 \([^|]+\| 6,000 \(", text)
    assert "that vary" not in written(report())


@pytest.mark.parametrize("junk", [b"", b"not json", b"[]", b'{"parity": {"observations": "many"}}', b"\xff\xfe"])
async def test_a_training_json_that_is_not_what_we_expect_claims_nothing(store: ArtifactStore, junk: bytes) -> None:
    await store.put_bytes("ward-7", "training.json", junk)
    await Reporter(store).write(report())
    assert "its versions are not on record" in (await content(store, "report.md")).decode()


async def test_a_store_that_cant_be_written_is_something_to_try_again(tmp_path: Path) -> None:
    store = ArtifactStore.at(str(tmp_path / "runs"))
    (tmp_path / "runs" / "ward-7").write_text("a file where the run's folder should be")
    with pytest.raises(StorageUnavailable):
        await Reporter(store).write(report())
