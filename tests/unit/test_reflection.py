"""Reflection: a verdict that blames the design leads to one revision, and the better of two attempts counts."""

from __future__ import annotations

import pytest

from gateway.attempts import best_of, moved_goals, reflection
from gateway.happenings import Checked, Designed, GaveUp, Reported, Stopped, Trained, Wrote
from gateway.loop import next_step
from gateway.steps import Check, End, Report, Revise, Rules, Write
from gateway.thinking import trace_finding
from kit.contracts.design import Direction
from kit.contracts.findings import Blame, CheckReport, Finding, Severity
from kit.contracts.outcomes import (
    Artifact,
    ComponentShare,
    Evaluation,
    Interval,
    Ladder,
    LadderRow,
    NamedInterval,
    NamedNumber,
    PolicyKind,
    TrainingReport,
    TrainOutcome,
    Verdict,
    VerdictKind,
)
from kit.contracts.reports import Attempt
from kit.contracts.runs import Origin, OriginKind, RunState
from tests.unit.designs import kiosk

ORIGIN = Origin(kind=OriginKind.SCRIPTED, detail="a table")
DESIGN = Designed(design=kiosk(), origin=ORIGIN)
REVISED = Designed(design=kiosk().model_copy(update={"title": "A fairer kiosk"}), origin=ORIGIN)
WROTE, PASSED = Wrote(source="pass", origin=ORIGIN), Checked(report=CheckReport(), sandbox="a box")
GAVE_UP = GaveUp(reason="It broke.")


def error(blame: Blame, check: str = "it.broke") -> Finding:
    return Finding(check=check, severity=Severity.ERROR, blame=blame, message="It broke.")


def outcome(
    primary: float | None = None,
    kind: VerdictKind = VerdictKind.REWARD_HACKED,
    blame: Blame | None = Blame.DESIGN,
) -> TrainOutcome:
    verdict = Verdict(kind=kind, reason="Paid for what nobody wants.", blame=blame, component="sales", trace_seed=7)
    artifact = Artifact(name="policy.onnx", size=1, sha256="0")
    return TrainOutcome(verdict=verdict, validation_primary=primary, artifacts=(artifact,))


def trained(primary: float | None = None, kind: VerdictKind = VerdictKind.REWARD_HACKED) -> Trained:
    blame = None if kind is VerdictKind.LEARNED else Blame.DESIGN
    return Trained(outcome=outcome(primary, kind, blame), sandbox="a box")


def checked(*findings: Finding) -> Checked:
    return Checked(report=CheckReport(findings=findings), sandbox="a box")


HACKED = (DESIGN, WROTE, PASSED, trained(3.0))
SECOND = (*HACKED, REVISED, WROTE)


@pytest.mark.parametrize(
    ("kind", "blame", "step"),
    [
        (VerdictKind.REWARD_HACKED, Blame.DESIGN, Revise),
        (VerdictKind.NO_BETTER_THAN_BASELINE, Blame.DESIGN, Revise),
        (VerdictKind.UNDERTRAINED, Blame.BUDGET, Report),  # the user reads it
        (VerdictKind.UNSTABLE, None, Report),
        (VerdictKind.LEARNED, None, Report),
        (VerdictKind.LEARNED, Blame.DESIGN, Report),  # what has learned is left alone
    ],
)
def test_only_a_verdict_that_blames_the_design_leads_to_its_revision(kind, blame, step):
    history = (DESIGN, WROTE, PASSED, Trained(outcome=outcome(3.0, kind, blame), sandbox="a box"))
    assert isinstance(next_step(history, Rules()), step)


@pytest.mark.parametrize(
    ("history", "step", "name"),
    [
        (HACKED, Revise, "revise-1"),
        ((*HACKED, REVISED), Write, "write-2"),
        (SECOND, Check, "check-2"),
        ((*SECOND, PASSED, trained(9.0)), Report, "report"),  # one reflection a run
        ((*HACKED, GAVE_UP, Reported(artifacts=())), End, "end"),
        ((*HACKED, Stopped()), End, "end"),
        ((DESIGN, WROTE, checked(error(Blame.DESIGN)), REVISED, WROTE, PASSED, trained(3.0)), Report, "report"),
    ],
)
def test_a_revision_after_a_verdict_is_built_and_trained_as_the_first_design_was(history, step, name):
    following = next_step(history, Rules())
    assert (type(following), following.name) == (step, name)


@pytest.mark.parametrize(
    ("second", "number"),
    [
        (trained(3.1, VerdictKind.LEARNED), 2),
        (trained(3.1), 2),  # the figure decides, not the verdict
        (trained(3.0), 1),  # no better is not better
        (trained(3.0, VerdictKind.LEARNED), 2),  # of equals, the one that learned
        (trained(2.9, VerdictKind.LEARNED), 1),
        (trained(None, VerdictKind.LEARNED), 1),  # not measured
    ],
)
def test_the_attempt_counts_that_is_better_by_the_primary_metric_and_the_other_is_kept(second, number):
    report = next_step((*SECOND, PASSED, second), Rules())
    chosen, other = (DESIGN, REVISED) if number == 1 else (REVISED, DESIGN)
    assert (report.number, report.latest, report.attempt.design) == (number, 2, chosen.design)
    assert [attempt.design for attempt in report.others] == [other.design]
    assert report.others[0].outcome.artifacts[0].name == f"attempt-{3 - number}/policy.onnx"
    assert [len(attempt.drafts) for attempt in (report.attempt, *report.others)] == [1, 1]


@pytest.mark.parametrize(
    ("history", "note"),
    [
        ((*HACKED, GAVE_UP), "The design could not be revised: It broke."),
        ((*HACKED, DESIGN), "The designer changed nothing."),
        ((*HACKED, REVISED, GAVE_UP), "It broke."),
        ((*SECOND, checked(error(Blame.DESIGN))), "The design is still wrong after 1 revision: it.broke: It broke."),
        (
            (*SECOND, PASSED, Trained(outcome=TrainOutcome(findings=(error(Blame.BUDGET),)), sandbox="a box")),
            "The training budget was too small: it.broke: It broke.",
        ),
    ],
)
def test_a_second_attempt_that_comes_to_nothing_leaves_the_first_with_a_note(history, note):
    report = next_step(history, Rules())
    assert (type(report), report.number, report.note) == (Report, 1, note)
    assert report.attempt.outcome.validation_primary == 3.0


def test_a_report_that_can_not_be_written_ends_the_run():
    assert next_step((*SECOND, PASSED, trained(9.0), GAVE_UP), Rules()) == End(RunState.FAILED, "It broke.")


def changed(part: str, **changes: object) -> Designed:
    """The revised design with something else changed in the first of these."""
    first, *rest = getattr(REVISED.design, part)
    parts = (first.model_copy(update=changes), *rest)
    return Designed(design=REVISED.design.model_copy(update={part: parts}), origin=ORIGIN)


@pytest.mark.parametrize(
    ("revised", "what"),
    [
        (changed("metrics", name="takings"), "which metrics there are"),
        (changed("metrics", formula="state.sold"), "the metric profit"),
        (changed("metrics", target=0.1), "the metric profit"),
        (changed("metrics", direction=Direction.LOWER), "the metric profit"),
        (changed("parameters", values=(50,)), "the given parameter room"),
        (changed("baselines", name="do nothing"), "the rule to beat, refill"),
    ],
)
def test_a_revision_that_moves_the_goal_posts_is_refused_and_the_first_attempt_counts(revised, what):
    report = next_step((*HACKED, revised), Rules())
    assert (report.number, report.latest) == (1, 2)
    assert report.note == f"The revised design was refused: it changes {what}, and what is wanted stays."
    end = next_step((DESIGN, WROTE, checked(error(Blame.DESIGN)), revised), Rules())
    assert (end.state, end.reason) == (RunState.FAILED, report.note)  # nothing was trained before it


def test_a_metric_that_can_not_be_computed_may_get_another_formula_but_no_other_target():
    broken = error(Blame.DESIGN, check="metric.value")
    assert moved_goals(kiosk(), changed("metrics", formula="state.sold").design, (broken,)) == ""
    assert moved_goals(kiosk(), changed("metrics", target=0.1).design, (broken,)) == "the metric profit"
    assert moved_goals(kiosk(), changed("parameters", meaning="shelves").design) == ""


def attempt(primary: float | None, direction: Direction, kind: VerdictKind = VerdictKind.REWARD_HACKED) -> Attempt:
    first, *rest = kiosk().metrics
    design = kiosk().model_copy(update={"metrics": (first.model_copy(update={"direction": direction}), *rest)})
    return Attempt(design=design, design_origin=ORIGIN, drafts=(), check=CheckReport(), outcome=outcome(primary, kind))


def test_the_direction_of_the_metric_says_which_attempt_is_better():
    for direction, best in ((Direction.HIGHER, 2), (Direction.LOWER, 3)):
        assert best_of([attempt(figure, direction) for figure in (-1.0, 5.0, -4.0)]) == best
    unmeasured = [attempt(None, Direction.HIGHER), attempt(None, Direction.HIGHER, VerdictKind.LEARNED)]
    assert best_of(unmeasured) == 2


def test_the_designer_reads_the_verdict_the_ladder_the_components_and_the_curves():
    def row(policy: str, kind: PolicyKind, reward: float, profit: float) -> LadderRow:
        interval = Interval(mean=profit, low=profit, high=profit)
        metrics = (NamedInterval(name="profit", interval=interval),)
        paid = Interval(mean=reward, low=reward, high=reward)
        return LadderRow(policy=policy, kind=kind, episodes=8, reward=paid, metrics=metrics)

    evaluations = tuple(
        Evaluation(
            timesteps=steps,
            mean_reward=steps / 100,
            std_reward=0,
            episodes=8,
            metrics=(NamedNumber(name="profit", value=1),),
        )
        for steps in range(1000, 14_000, 1000)
    )
    training = TrainingReport(
        algorithm="PPO",
        why_algorithm="",
        engine="sb3",
        seed=0,
        n_envs=1,
        total_timesteps=13_000,
        components=(ComponentShare(name="sales", first=1.0, last=90.0),),
        evaluations=evaluations,
    )
    ladder = Ladder(
        rows=(row("refill", PolicyKind.BASELINE, 5, 4), row("trained", PolicyKind.TRAINED, 90, 1)), first_seed=0
    )
    first, *shown = reflection(outcome().model_copy(update={"ladder": ladder, "training": training}))
    assert (first.severity, first.blame, first.message) == (
        Severity.ERROR,
        Blame.DESIGN,
        "Paid for what nobody wants.",
    )
    assert first.evidence == "The reward component sales explains it. The episode of test seed 7 shows it."
    evidence = {finding.check: finding.evidence for finding in shown}
    assert evidence["verdict.ladder"] == "refill: reward 5, profit 4; trained: reward 90, profit 1"
    assert evidence["verdict.components"] == "sales: 1 at first, 90 at last"
    points = evidence["verdict.curves"].split("; ")
    assert len(points) <= 6 and points[-1] == "after 13,000 steps: reward 130, profit 1"


def test_a_traced_episode_is_shown_by_its_beginning_and_its_end():
    rows = [f"trained,7,{step}" for step in range(40)] + ["refill,7,0"]
    (finding,) = trace_finding("\n".join(["policy,seed,reward", *rows]))
    lines = finding.evidence.splitlines()
    assert (lines[:2], lines[9], lines[-1]) == (["policy,seed,reward", "trained,7,0"], "…", "trained,7,39")
    assert "40 steps" in finding.message
    assert trace_finding("policy,seed,reward\n") == ()
