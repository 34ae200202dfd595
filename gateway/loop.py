"""The loop: what happened so far decides the next step. Pure: no clock, no network, no chance."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.attempts import best_of, in_folder, moved_goals, reflection
from gateway.happenings import (
    Advised,
    Answered,
    Checked,
    Designed,
    GaveUp,
    Happening,
    Questioned,
    Reported,
    Reviewed,
    Stopped,
    Trained,
    Wrote,
)
from gateway.steps import Ask, Check, Design, End, Repair, Report, Review, Revise, Rules, Step, Train, Write
from gateway.stories import Story, story_of
from gateway.wording import counted, finding_in_words, first_of
from kit.contracts.design import Fit
from kit.contracts.design.env_design import FitVerdict
from kit.contracts.findings import Blame
from kit.contracts.outcomes import TrainOutcome, VerdictKind
from kit.contracts.runs import RunOptions, RunState

NO_WISHES = RunOptions()


def next_step(history: Sequence[Happening], rules: Rules, options: RunOptions = NO_WISHES) -> Step:
    """What to do after all of this."""
    if not history:
        return Design()
    story = story_of(history)
    number = len(story.drafts)
    match history[-1]:
        case Designed():
            return _after_design(story_of(history[:-1]), story, options)
        case Questioned(question=question):
            return _after_question(question, story, rules)
        case Answered():
            return Design(f"design-{len(story.answered) + 1}", story.answered)
        case Advised(fit=fit):
            return End(RunState.ADVISED, _advice(fit))
        case Reviewed(design=design):
            return Write(f"write-{number + 1}", design)
        case Wrote():
            return Check(f"check-{number}", story.design, story.source)
        case Checked(report=report):
            if report.passed:
                return Train(f"train-{number}", story.design, story.source, story.drafts[-1].twin)
            return _after_errors(story, rules)
        case Trained(outcome=outcome):
            if outcome.trained:
                return _after_verdict(outcome, story, rules)
            if not story.errors:
                return _give_up("Training ended without a verdict and without saying why.", story)
            return _after_errors(story, rules)
        case Reported():
            return End(RunState.SUCCEEDED)
        case GaveUp(reason=reason):
            return _after_giving_up(next_step(history[:-1], rules, options), reason, story)
        case Stopped():
            return End(RunState.CANCELLED, "Cancelled as you asked.")


def _after_design(before: Story, story: Story, options: RunOptions) -> Step:
    """before: the story without this design."""
    revised = before.designed is not None
    if revised and (moved := moved_goals(before.design, story.design, before.errors)):
        return _give_up(f"The revised design was refused: it changes {moved}, and what is wanted stays.", story)
    if before.complete is not None and before.design == story.design:
        return _give_up("The designer changed nothing.", story)
    if story.design.fit.verdict is FitVerdict.BETTER_TOOL and not options.insist:
        return _give_up(_advice(story.design.fit), story, RunState.ADVISED)
    if options.review and not revised:
        return Review(story.design)
    return Write(f"write-{len(story.drafts) + 1}", story.design)


def _after_question(question: str, story: Story, rules: Rules) -> Step:
    asked = len(story.answered)
    if asked < rules.questions_allowed:
        return Ask(f"ask-{asked + 1}", asked + 1, question)
    reason = f"The designer has another question after {counted(asked, 'answer')}: {question}"
    return End(RunState.FAILED, f"{reason} Say it in the problem, and start again.")


def _advice(fit: Fit) -> str:
    return (
        f"Reinforcement learning is not the tool for this; use {fit.better_tool}: {fit.why}"
        " To train a policy all the same, start again with --insist."
    )


def _after_errors(story: Story, rules: Rules) -> Step:
    """Design findings first: while the design is wrong, nobody can know whether the code is."""
    blamed = {blame: tuple(f for f in story.errors if f.blame is blame) for blame in Blame}
    if wrong := blamed[Blame.DESIGN]:
        if story.revisions < rules.revisions_allowed:
            return Revise(f"revise-{story.revisions + 1}", story.design, wrong)
        revised = counted(story.revisions, "revision")
        return _give_up(f"The design is still wrong after {revised}: {first_of(wrong)}", story)
    if wrong := blamed[Blame.CODE]:
        if story.fixes < rules.fixes_allowed:
            drafts = story.drafts[story.older :]
            fix = story.fixes + 1
            return Repair(f"repair-{len(story.drafts) + 1}", story.design, drafts, wrong, fix, rules.fixes_allowed)
        fixed = counted(story.fixes, "fix")
        return _give_up(f"The environment is still wrong after {fixed}: {first_of(wrong)}", story)
    return _give_up(f"The training budget was too small: {first_of(blamed[Blame.BUDGET])}", story)


def _after_verdict(outcome: TrainOutcome, story: Story, rules: Rules) -> Step:
    """A design that led to this is revised once; what only a longer training would change, the user reads."""
    verdict = outcome.verdict
    assert verdict is not None
    blamed = verdict.kind is not VerdictKind.LEARNED and verdict.blame is Blame.DESIGN
    if blamed and story.revisions < rules.revisions_allowed:
        return Revise(f"revise-{story.revisions + 1}", story.design, reflection(outcome), verdict.kind)
    return _report(story)


def _after_giving_up(step: Step, reason: str, story: Story) -> Step:
    """step: the one that has no answer."""
    match step:
        case Report():
            return End(RunState.FAILED, reason)
        case Revise(verdict=verdict) if verdict is not None:
            return _give_up(f"The design could not be revised: {reason}", story)
        case Write() if story.review_diff and not story.revisions:
            return _give_up(f"The design as you edited it could not be built: {reason}", story)
        case _:
            last = f" The last finding: {finding_in_words(story.errors[0])}" if story.errors else ""
            return _give_up(f"{reason}{last}", story)


def _give_up(reason: str, story: Story, state: RunState = RunState.FAILED) -> Step:
    """The end, or the report on what was complete before a second attempt failed."""
    return _report(story, reason) if story.attempts or story.complete else End(state, reason)


def _report(story: Story, note: str = "") -> Report:
    complete = (*story.attempts, story.complete) if story.complete is not None else story.attempts
    best = best_of(complete)
    others = tuple(in_folder(each, number) for number, each in enumerate(complete, 1) if number != best)
    return Report(
        attempt=complete[best - 1],
        sandbox=story.sandbox,
        number=best,
        latest=len(story.attempts) + 1,
        others=others,
        review_diff=story.review_diff,
        note=note,
    )
