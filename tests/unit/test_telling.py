"""What the gateway says on the screen: one line each, with what the person needs."""

from __future__ import annotations

import pytest

from gateway.conversing import of_answer, of_question, of_review, of_text, of_usage
from gateway.happenings import Checked, Designed, GaveUp, Trained, Wrote
from gateway.loop import next_step
from gateway.replies import difference
from gateway.steps import Rules
from gateway.stories import story_of
from gateway.telling import of_happening, of_start
from gateway.wording import counted, one_line, places_of, sentence
from kit.contracts.findings import Blame, CheckReport, Finding, Severity
from kit.contracts.outcomes import TrainOutcome, Verdict, VerdictKind
from kit.contracts.runs import DesignReviewed, Origin, OriginKind, TextWritten
from kit.contracts.spending import Usage
from tests.unit.designs import kiosk

ORIGIN = Origin(kind=OriginKind.LIBRARY, detail="worked problem kiosk (similarity 0.93)")
DESIGNED = Designed(design=kiosk(), origin=ORIGIN)
WROTE = Wrote(source="import gymnasium\n\n", origin=ORIGIN)


def finding(
    check: str, line: int | None = None, severity: Severity = Severity.ERROR, blame: Blame = Blame.CODE
) -> Finding:
    return Finding(check=check, severity=severity, blame=blame, message="expected 3,\n  found 4", line=line)


def checked(*findings: Finding) -> Checked:
    return Checked(report=CheckReport(findings=findings, ran=("static",), episodes=20, wall_s=4.21), sandbox="a box")


BROKEN = checked(finding("observation.formula", 41), finding("episodes.limit"))
STOPPED = Trained(outcome=TrainOutcome(findings=(finding("training.crash", 7),)), sandbox="a box")
LEARNED = Trained(
    outcome=TrainOutcome(verdict=Verdict(kind=VerdictKind.LEARNED, reason="12 % better than the rule.")),
    sandbox="a box",
)


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ((), "Designing the environment."),
        ((DESIGNED,), "Writing the environment."),
        ((DESIGNED, WROTE), "Checking draft 1 in a throwaway box."),
        (
            (DESIGNED, WROTE, BROKEN),
            "The check found 2 errors: observation.formula at line 41, episodes.limit;"
            " asking the coder to fix (1 of 2).",
        ),
        (
            (DESIGNED, WROTE, BROKEN, WROTE, checked(), STOPPED),
            "Training found 1 error: training.crash at line 7; asking the coder to fix (2 of 2).",
        ),
        (  # the check of the repaired draft speaks, not the training before it
            (DESIGNED, WROTE, checked(), STOPPED, WROTE, checked(finding("episodes.limit"))),
            "The check found 1 error: episodes.limit; asking the coder to fix (2 of 2).",
        ),
        (
            (DESIGNED, WROTE, checked(finding("design.horizon", blame=Blame.DESIGN))),
            "The check found 1 error in the design: design.horizon; asking the designer to revise it.",
        ),
    ],
)
def test_what_is_said_when_a_step_begins(history, message):
    assert of_start(next_step(history, Rules()), story_of(history)).message == message


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ((DESIGNED,), 'Designed "A newspaper kiosk": library, worked problem kiosk (similarity 0.93).'),
        ((DESIGNED, WROTE), "Wrote the environment (2 lines): library, worked problem kiosk (similarity 0.93)."),
        ((DESIGNED, WROTE, checked()), "The check passed (1 group of checks, 20 episodes, 4.2 s)."),
        (
            (DESIGNED, WROTE, checked(finding("life.action", severity=Severity.WARNING))),
            "The check passed (1 group of checks, 20 episodes, 4.2 s) with 1 warning.",
        ),
        (
            (DESIGNED, WROTE, BROKEN),
            "The check found 2 errors (1 group of checks, 20 episodes, 4.2 s):"
            " observation.formula at line 41: expected 3, found 4 (and 1 more)",
        ),
        ((DESIGNED, WROTE, BROKEN, WROTE), "Wrote fix 1 (2 lines): library, worked problem kiosk (similarity 0.93)."),
        (
            (DESIGNED, WROTE, BROKEN, DESIGNED),
            "Revised the design: library, worked problem kiosk (similarity 0.93).",
        ),
        ((DESIGNED, WROTE, checked(), STOPPED), "Training was stopped: training.crash at line 7: expected 3, found 4"),
        ((DESIGNED, WROTE, checked(), LEARNED), "Trained and measured: LEARNED. 12 % better than the rule."),
    ],
)
def test_what_is_said_when_a_step_is_over(history, message):
    told = of_happening(history[-1], story_of(history))
    assert told is not None and told[0].message == message


HACKED = Trained(
    outcome=TrainOutcome(
        verdict=Verdict(kind=VerdictKind.REWARD_HACKED, reason="Paid for nothing.", blame=Blame.DESIGN),
        validation_primary=3.0,
    ),
    sandbox="a box",
)
BETTER = Trained(outcome=LEARNED.outcome.model_copy(update={"validation_primary": 4.0}), sandbox="a box")
WORSE = Trained(outcome=LEARNED.outcome.model_copy(update={"validation_primary": 2.0}), sandbox="a box")
REVISED = DESIGNED.model_copy(update={"design": kiosk().model_copy(update={"title": "A fairer kiosk"})})
FIRST = (DESIGNED, WROTE, checked(), HACKED)


@pytest.mark.parametrize(
    ("history", "message", "counts"),
    [
        (FIRST, "The verdict is REWARD_HACKED, and the design is to blame; asking the designer to revise it.", None),
        (
            (*FIRST, REVISED, WROTE, checked(), BETTER),
            "Writing the report on attempt 2. By profit on the validation seeds it is the best: 4 against 3.",
            None,
        ),
        (  # who watches must not end with the outcome of the attempt that does not count
            (*FIRST, REVISED, WROTE, checked(), WORSE),
            "Writing the report on attempt 1. By profit on the validation seeds it is the best: 3 against 2.",
            HACKED.outcome,
        ),
        (
            (*FIRST, GaveUp(reason="The library's designs can't be revised")),
            "Writing the report. The design could not be revised: The library's designs can't be revised.",
            None,
        ),
    ],
)
def test_reflection_and_which_attempt_counts_are_said(history, message, counts):
    told = of_start(next_step(history, Rules()), story_of(history))
    assert (told.message, told.trained) == (message, counts)


def test_costs_text_and_what_the_user_says_are_one_line_each():
    step = next_step((), Rules())
    usage = Usage(model="a model", purpose="design", input_tokens=1200, output_tokens=800, cost_usd=0.0123)
    unpriced = usage.model_copy(update={"cost_usd": None})
    text = TextWritten(purpose="design", text="{")
    said = [
        of_usage(step, usage),
        of_usage(step, unpriced),
        of_text(step, text),
        of_text(step, text.model_copy(update={"restarts": True})),
        of_question("How many\npapers fit?"),
        of_answer("Five.\nOr six."),
        of_review(DesignReviewed(design=kiosk())),
        of_review(DesignReviewed(design=kiosk(), diff=difference(kiosk(), REVISED.design))),
    ]
    assert [one.message for one in said] == [
        "a model: design, 1,200 + 800 tokens, $0.0123.",
        "a model: design, 1,200 + 800 tokens, price not known.",
        "The design is being written (1 character).",
        "The design begins anew (1 character).",
        "The designer asks: How many papers fit?",
        "You answered: Five. Or six.",
        "You accepted the design.",
        "You edited the design (2 changed lines).",
    ]


def test_words_for_screens_are_short_and_count_right():
    assert counted(1, "fix") == "1 fix" and counted(2, "fix") == "2 fixes" and counted(0, "error") == "0 errors"
    assert sentence("measuring the\nladder") == "Measuring the ladder."
    assert one_line("a\n b\t c") == "a b c"
    assert len(one_line("x" * 1000)) == 300
    assert places_of([finding(f"check.{n}") for n in range(5)]) == "check.0, check.1, check.2 and 2 more"
