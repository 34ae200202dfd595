"""The repair loop as a table: what happened, and what follows."""

from __future__ import annotations

import pytest

from gateway.happenings import (
    Advised,
    Answered,
    Checked,
    Designed,
    GaveUp,
    Questioned,
    Reported,
    Reviewed,
    Stopped,
    Trained,
    Wrote,
)
from gateway.loop import next_step
from gateway.steps import Ask, Check, Design, End, Repair, Report, Review, Revise, Rules, Train, Write
from gateway.stories import story_of
from kit.contracts.design import Fit, FitVerdict
from kit.contracts.findings import Blame, CheckReport, Finding, Severity
from kit.contracts.outcomes import TrainOutcome, Verdict, VerdictKind
from kit.contracts.runs import Origin, OriginKind, RunOptions, RunState
from kit.contracts.wishes import QuestionAnswered
from tests.unit.designs import kiosk

ORIGIN = Origin(kind=OriginKind.SCRIPTED, detail="a table")
DESIGN = Designed(design=kiosk(), origin=ORIGIN)
WROTE = Wrote(source="pass", origin=ORIGIN)
REPORTED = Reported(artifacts=())
BOX = "a box"


def finding(blame: Blame, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(check=f"{blame.lower()}.broken", severity=severity, blame=blame, message="It broke.")


CODE, WRONG_DESIGN, BUDGET = (finding(blame) for blame in (Blame.CODE, Blame.DESIGN, Blame.BUDGET))


def checked(*findings: Finding) -> Checked:
    return Checked(report=CheckReport(findings=findings), sandbox=BOX)


def stopped_training(*findings: Finding) -> Trained:
    return Trained(outcome=TrainOutcome(findings=findings), sandbox=BOX)


def trained(kind: VerdictKind = VerdictKind.LEARNED) -> Trained:
    return Trained(outcome=TrainOutcome(verdict=Verdict(kind=kind, reason="By the numbers.")), sandbox=BOX)


FIRST = (DESIGN, WROTE)
CRASH = checked(CODE)
TWO_FIXES = (*FIRST, CRASH, WROTE, checked(), stopped_training(CODE), WROTE)


@pytest.mark.parametrize(
    ("history", "step", "name"),
    [
        ((), Design, "design"),
        ((DESIGN,), Write, "write-1"),
        (FIRST, Check, "check-1"),
        ((*FIRST, checked()), Train, "train-1"),
        ((*FIRST, checked(finding(Blame.CODE, Severity.WARNING))), Train, "train-1"),  # a warning fails nothing
        ((*FIRST, checked(finding(Blame.DESIGN, Severity.NOTE))), Train, "train-1"),
        ((*FIRST, checked(), trained()), Report, "report"),
        ((*FIRST, checked(), trained(VerdictKind.NO_BETTER_THAN_BASELINE)), Report, "report"),  # an honest loss
        ((*FIRST, checked(), trained(), REPORTED), End, "end"),
        ((*FIRST, CRASH), Repair, "repair-2"),
        ((*FIRST, CRASH, WROTE), Check, "check-2"),
        ((*FIRST, checked(), stopped_training(CODE)), Repair, "repair-2"),
        ((*FIRST, checked(), stopped_training(CODE), WROTE), Check, "check-2"),  # a repaired draft is checked again
        (TWO_FIXES, Check, "check-3"),
        ((*TWO_FIXES, checked()), Train, "train-3"),
        ((*TWO_FIXES, checked(), trained()), Report, "report"),  # a success counts however late it comes
        ((*TWO_FIXES, CRASH), End, "end"),  # two fixes are all there are, checking and training together
        ((*FIRST, checked(WRONG_DESIGN)), Revise, "revise-1"),
        ((*FIRST, checked(CODE, WRONG_DESIGN)), Revise, "revise-1"),  # the design first
        ((*FIRST, checked(), stopped_training(WRONG_DESIGN)), Revise, "revise-1"),
        ((*FIRST, checked(WRONG_DESIGN), DESIGN), Write, "write-2"),
        ((*FIRST, checked(WRONG_DESIGN), DESIGN, WROTE, CRASH), Repair, "repair-3"),
        ((*FIRST, checked(WRONG_DESIGN), DESIGN, WROTE, checked(WRONG_DESIGN)), End, "end"),  # one revision a run
        ((*TWO_FIXES, checked(WRONG_DESIGN)), Revise, "revise-1"),  # spent fixes don't keep the designer from its own
        ((*TWO_FIXES, checked(WRONG_DESIGN), DESIGN, WROTE, CRASH), End, "end"),  # a revision resets no fixes
        ((*FIRST, checked(), stopped_training(BUDGET)), End, "end"),
        ((*FIRST, checked(), stopped_training(CODE, BUDGET)), Repair, "repair-2"),
        ((*FIRST, checked(), stopped_training()), End, "end"),
    ],
)
def test_what_follows(history, step, name):
    following = next_step(history, Rules())
    assert (type(following), following.name) == (step, name)


@pytest.mark.parametrize(
    ("history", "state", "reason"),
    [
        ((*FIRST, checked(), trained(), REPORTED), RunState.SUCCEEDED, ""),
        (
            (*TWO_FIXES, CRASH),
            RunState.FAILED,
            "The environment is still wrong after 2 fixes: code.broken: It broke.",
        ),
        (
            (*FIRST, checked(WRONG_DESIGN), DESIGN, WROTE, checked(WRONG_DESIGN, WRONG_DESIGN)),
            RunState.FAILED,
            "The design is still wrong after 1 revision: design.broken: It broke. (and 1 more)",
        ),
        (
            (*FIRST, checked(), stopped_training(BUDGET)),
            RunState.FAILED,
            "The training budget was too small: budget.broken: It broke.",
        ),
        ((GaveUp(reason="The designer is away."),), RunState.FAILED, "The designer is away."),
        (
            (*FIRST, CRASH, GaveUp(reason="The coder can't.")),
            RunState.FAILED,
            "The coder can't. The last finding: code.broken: It broke.",
        ),
        ((*FIRST, CRASH, WROTE, GaveUp(reason="The executor is away.")), RunState.FAILED, "The executor is away."),
        ((*FIRST, Stopped()), RunState.CANCELLED, "Cancelled as you asked."),
    ],
)
def test_how_a_run_ends(history, state, reason):
    assert next_step(history, Rules()) == End(state, reason)


LINEAR = Fit(verdict=FitVerdict.BETTER_TOOL, why="The horizon is one step.", better_tool="a linear program")
ILL_FITTING = DESIGN.model_copy(update={"design": kiosk().model_copy(update={"fit": LINEAR})})


@pytest.mark.parametrize("advised", [Advised(fit=LINEAR), ILL_FITTING])
def test_a_job_for_another_tool_ends_the_run_with_the_advice_before_any_code(advised):
    assert next_step((advised,), Rules()) == End(
        RunState.ADVISED,
        "Reinforcement learning is not the tool for this; use a linear program: The horizon is one step."
        " To train a policy all the same, start again with --insist.",
    )


def test_who_insists_gets_the_design_built_that_another_tool_would_serve_better():
    assert isinstance(next_step((ILL_FITTING,), Rules(), RunOptions(insist=True)), Write)


ASKED, ANSWERED = Questioned(question="How many?"), Answered(question="How many?", answer="Five.")
PAIR = QuestionAnswered(question="How many?", answer="Five.")


@pytest.mark.parametrize(
    ("history", "following"),
    [
        ((ASKED,), Ask("ask-1", 1, "How many?")),
        ((ASKED, ANSWERED), Design("design-2", (PAIR,))),
        ((ASKED, ANSWERED, ASKED), Ask("ask-2", 2, "How many?")),
        ((ASKED, ANSWERED, ASKED, ANSWERED), Design("design-3", (PAIR, PAIR))),
        (
            (ASKED, ANSWERED, ASKED, ANSWERED, ASKED),
            End(
                RunState.FAILED,
                "The designer has another question after 2 answers: How many? Say it in the problem, and start again.",
            ),
        ),
        ((ASKED, ANSWERED, DESIGN), Write("write-1", kiosk())),
        ((ASKED, Stopped()), End(RunState.CANCELLED, "Cancelled as you asked.")),
    ],
)
def test_the_designer_may_ask_and_knows_all_answers_when_it_designs_again(history, following):
    assert next_step(history, Rules(questions_allowed=2)) == following


EDITED = kiosk().model_copy(update={"title": "My kiosk"})


@pytest.mark.parametrize(
    ("history", "following"),
    [
        ((DESIGN,), Review(kiosk())),
        ((DESIGN, Reviewed(design=EDITED, diff="-a\n+b\n")), Write("write-1", EDITED)),
        ((DESIGN, Reviewed(design=kiosk())), Write("write-1", kiosk())),
        ((*FIRST, checked(WRONG_DESIGN), DESIGN), Write("write-2", kiosk())),  # only the first design is reviewed
        ((ILL_FITTING,), End),  # what ends with an advice needs no review
        (
            (DESIGN, Reviewed(design=EDITED, diff="-a\n+b\n"), GaveUp(reason="The library serves its own only.")),
            End(RunState.FAILED, "The design as you edited it could not be built: The library serves its own only."),
        ),
    ],
)
def test_a_design_that_the_user_wants_to_review_waits_for_it(history, following):
    step = next_step(history, Rules(), RunOptions(review=True))
    assert isinstance(step, following) if isinstance(following, type) else step == following


def test_what_the_user_changed_in_the_design_is_reported():
    history = (DESIGN, Reviewed(design=EDITED, diff="-a\n+b\n"), WROTE, checked(), trained())
    report = next_step(history, Rules(), RunOptions(review=True))
    assert (report.review_diff, report.attempt.design) == ("-a\n+b\n", EDITED)


def test_the_batched_twin_goes_with_its_draft_to_the_training():
    history = (DESIGN, Wrote(source="pass", origin=ORIGIN, twin="as NumPy"), checked())
    assert next_step(history, Rules()) == Train("train-1", kiosk(), "pass", "as NumPy")


@pytest.mark.parametrize(("allowed", "step"), [(0, End), (1, Repair)])
def test_how_many_fixes_there_are_is_a_setting(allowed, step):
    assert isinstance(next_step((*FIRST, CRASH), Rules(fixes_allowed=allowed)), step)


def test_the_designer_hears_only_of_the_design_and_the_coder_only_of_the_code():
    revise = next_step((*FIRST, checked(CODE, WRONG_DESIGN)), Rules())
    repair = next_step((*FIRST, checked(), stopped_training(BUDGET, CODE)), Rules())
    assert (revise.findings, repair.findings) == ((WRONG_DESIGN,), (CODE,))


def test_the_coder_gets_every_draft_of_this_design_and_the_report_every_draft_of_the_run():
    history = (*FIRST, CRASH, WROTE, checked(WRONG_DESIGN), DESIGN, WROTE, CRASH)
    repair = next_step(history, Rules())
    report = next_step((*history, WROTE, checked(), trained()), Rules())
    assert [draft.findings for draft in repair.drafts] == [(CODE,)]
    assert [draft.findings for draft in report.attempt.drafts] == [(CODE,), (WRONG_DESIGN,), (CODE,), ()]
    assert (repair.fix, story_of(history).revisions) == (2, 1)
