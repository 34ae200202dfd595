"""What a report shows beyond one training: an episode, seeds, a search, other attempts, changes and costs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from markdown_it import MarkdownIt

from kit.artifacts import ArtifactStore
from kit.contracts.findings import Blame, CheckReport
from kit.contracts.outcomes import NamedNumber, TrainedSeed, Tuning, TuningTrial, Verdict, VerdictKind
from kit.contracts.reports import Attempt, ReportRequest
from kit.contracts.spending import Usage
from kit.prose import Prose
from services.reporter.claims import Claims, CurvePoint
from services.reporter.figures.course import course_figure
from services.reporter.figures.episode import episode_figure
from services.reporter.figures.tuning import tuning_figure
from services.reporter.manifest import curve_sha256
from services.reporter.material import Material
from services.reporter.reporting import PROSE, Reporter
from services.reporter.sections import page
from services.reporter.traces import Traced, read_traces
from tests.unit.reports import WARD, around, report

HEAD = "policy,seed,step,reward,metric.cost_per_day,component.staff,action.call,obs.need"
TRACE = (
    f"{HEAD}\ntrained,20007,0,-3,10,-2,1,0.5\ntrained,20007,1,-4,12,-2,,0.5\ncover_the_need,20007,0,-5,14,-3,2,0.5\n"
)


def outcome(**changes: object):
    return report().outcome.model_copy(update=changes)


def text(of: ReportRequest) -> str:
    return page(Material(of, Claims()), Prose(PROSE))


SEEDS = (
    TrainedSeed(seed=3, reward=around(-84.2), primary=around(5270.0), verdict=VerdictKind.LEARNED, kept=True),
    TrainedSeed(seed=4, reward=around(-88.0), primary=around(5600.0), verdict=VerdictKind.NO_BETTER_THAN_BASELINE),
)
TUNING = Tuning(
    trials=(
        TuningTrial(number=0, hyperparameters=(NamedNumber(name="learning_rate", value=0.001),), value=5300.0),
        TuningTrial(number=1, hyperparameters=(NamedNumber(name="learning_rate", value=0.1),), pruned=True),
        TuningTrial(number=2, hyperparameters=(NamedNumber(name="learning_rate", value=0.002),), value=5200.0),
    ),
    best=2,
    importances=(NamedNumber(name="learning_rate", value=1.0),),
    default_primary=around(5270.0),
    tuned_primary=around(5170.0),
)
OTHER = Attempt(
    design=WARD.design,
    design_origin=report().design_origin,
    drafts=report().drafts,
    check=CheckReport(),
    outcome=outcome(verdict=Verdict(kind=VerdictKind.REWARD_HACKED, reason="It slept."), validation_primary=9000.5),
)
USAGES = (
    Usage(model="m-large", purpose="design", input_tokens=1000, cached_tokens=400, output_tokens=200, cost_usd=0.25),
    Usage(model="m-large", purpose="code", input_tokens=500, output_tokens=100, cost_usd=0.5),
    Usage(model="m-own", purpose="repair", input_tokens=7, output_tokens=3),
)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (report(outcome=outcome(seeds=SEEDS)), "2 policies were trained alike but for the seed. The one kept (seed 3)"),
        (
            report(outcome=outcome(seeds=SEEDS)),
            "| 4 | 5,600 (5,533 to 5,667) | −88 (−89.06 to −86.94) | no better",
        ),
        (report(outcome=outcome(seeds=SEEDS)), "2 training seeds were used"),
        (report(), "One training seed was used"),
        (report(outcome=outcome(tuning=TUNING)), "defaults 5,270 (5,207 to 5,333), trial 2 5,170 (5,108 to 5,232)"),
        (report(outcome=outcome(tuning=TUNING)), "`learning_rate` 100 %"),
        (report(outcome=outcome(tuning=TUNING)), "| 1 | pruned | 0.1 |"),
        (report(others=(OTHER,)), "| 1 | reward hacked | 9,000 | It slept. |"),
        (report(note="The designer changed nothing."), "the revision came to nothing: The designer changed nothing."),
        (report(review_diff="-old\n+new"), "```diff\n-old\n+new\n```"),
        (report(usages=USAGES), "| m-large | design | 1,000 | 400 | 200 | 0.2500 |"),
        (report(usages=USAGES), "| **all** |  | 1,507 |  | 303 | 0.7500 |"),
        (report(usages=USAGES), "The price of 1 of them is not known"),
    ],
)
def test_a_report_says(of: ReportRequest, said: str) -> None:
    assert said in text(of)


def test_what_there_was_none_of_has_no_heading() -> None:
    absent = ("Several seeds", "The search", "not chosen", "the user changed", "language models cost", "One episode")
    assert not [heading for heading in absent if re.search(f"^#+ .*{heading}", text(report()), re.MULTILINE)]


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ({"blame": Blame.DESIGN}, "**Whose move:** the design's."),
        ({"blame": Blame.CODE}, "**Whose move:** the code's."),
        ({"blame": Blame.BUDGET}, "**Whose move:** yours. It takes"),
        ({"blame": Blame.BUDGET, "suggested_timesteps": 820_000}, "about 820,000 steps should do"),
        ({"component": "harm"}, "The reward component that explains it: `harm`."),
    ],
)
def test_who_should_act_stands_below_the_verdict(verdict: dict, said: str) -> None:
    of = report(outcome=outcome(verdict=Verdict(kind=VerdictKind.UNDERTRAINED, reason="Because.", **verdict)))
    assert said in text(of).split("![Every policy")[0]


@pytest.mark.parametrize("attack", ["| a |\n# b", "```\n# out\n```", "<script>x</script>", "[x](javascript:y)"])
def test_what_models_users_and_verdicts_wrote_breaks_nothing(attack: str) -> None:
    other = OTHER.model_copy(update={"outcome": outcome(verdict=Verdict(kind=VerdictKind.UNSTABLE, reason=attack))})
    of = report(
        usages=(Usage(model=attack, purpose=attack),), others=(other,), review_diff=attack,
        outcome=outcome(verdict=Verdict(kind=VerdictKind.UNSTABLE, reason="x", component=attack)),
    )  # fmt: skip
    headings = [token for token in MarkdownIt().parse(text(of)) if token.type == "heading_open" and token.tag == "h1"]
    assert len(headings) == 1
    outside = re.sub(r"```+.*?```+", "", text(of), flags=re.DOTALL)
    assert "<script" not in outside.replace("\\<script", "").replace("`<script", "")


@pytest.fixture
async def store(tmp_path: Path):
    yield ArtifactStore.at(str(tmp_path / "runs"))


async def test_an_episode_is_read_policy_after_policy(store: ArtifactStore) -> None:
    await store.put_bytes("ward-7", "trace.csv", TRACE.encode())
    trained, rule = await read_traces(store, "ward-7")
    assert (trained.policy, trained.seed, rule.policy) == ("trained", 20007, "cover_the_need")
    assert trained.columns["reward"].tolist() == [-3.0, -4.0]
    assert np.isnan(trained.columns["action.call"][1])  # the trace has no value there


@pytest.mark.parametrize("junk", ["", "a,b\n1,2\n", f"{HEAD}\ntrained,1\n", "\x00"])
async def test_a_trace_that_is_not_what_we_expect_shows_nothing(store: ArtifactStore, junk: str) -> None:
    await store.put_bytes("ward-7", "trace.csv", junk.encode())
    assert await read_traces(store, "ward-7") == ()


async def test_the_report_has_the_episode_where_it_was_traced(store: ArtifactStore) -> None:
    await store.put_bytes("ward-7", "trace.csv", TRACE.encode())
    names = {artifact.name for artifact in await Reporter(store).write(report())}
    assert "episode.png" in names
    written = b"".join([chunk async for chunk in store.read("ward-7", "report.md")]).decode()
    assert "The test episode with seed 20007" in written
    assert "![The same episode, played by both](episode.png)" in written


def traced(policy: str, steps: int) -> Traced:
    wave = np.sin(np.arange(steps, dtype=np.float64))
    names = ("reward", f"metric.{WARD.design.metrics[0].name}", "component.staff", "action.call", "obs.need")
    return Traced(policy, 7, {"step": np.arange(steps, dtype=np.float64), **dict.fromkeys(names, wave)})


CURVE = tuple(
    CurvePoint(
        timesteps=1000 * n,
        reward=0.0,
        components=tuple(float(n) for _ in WARD.design.reward),
        metrics=tuple(None if n == 2 else float(n) for _ in WARD.design.metrics),
    )
    for n in range(1, 6)
)


@pytest.mark.parametrize(
    ("draw", "material"),
    [
        (episode_figure, Material(report(), Claims(), (traced("trained", 365), traced("rule", 20)))),
        (episode_figure, Material(report(), Claims(), (traced("trained", 1),))),
        (course_figure, Material(report(), Claims(curve=CURVE))),
        (tuning_figure, Material(report(outcome=outcome(tuning=TUNING)), Claims())),
    ],
)
def test_a_figure_is_a_png_and_the_same_every_time(draw, material: Material) -> None:
    png = draw(material)
    assert png.startswith(b"\x89PNG")
    assert png == draw(material)


@pytest.mark.parametrize("draw", [episode_figure, course_figure, tuning_figure])
def test_a_figure_without_evidence_is_left_out(draw) -> None:
    assert draw(Material(report(), Claims())) is None


def test_a_curve_of_another_design_is_not_drawn() -> None:
    odd = tuple(point.model_copy(update={"components": (1.0,)}) for point in CURVE)
    assert course_figure(Material(report(), Claims(curve=odd))) is None


def test_one_bit_more_anywhere_in_the_curve_is_another_curve() -> None:
    bent = CURVE[-1].model_copy(update={"reward": np.nextafter(0.0, 1.0)})
    same = curve_sha256(report(), Claims(curve=CURVE))
    assert same == curve_sha256(report(), Claims(curve=CURVE))
    assert same != curve_sha256(report(), Claims(curve=(*CURVE[:-1], bent)))
