"""Stories: what a run's happenings add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.reports import Attempt
from kit.contracts.runs import Draft
from kit.contracts.wishes import QuestionAnswered


@dataclass(frozen=True)
class Story:
    """An attempt is a design that is written, checked and trained; a revision after its verdict begins the next."""

    designed: Designed | None = None
    answered: tuple[QuestionAnswered, ...] = ()
    review_diff: str = ""
    revisions: int = 0
    drafts: tuple[Draft, ...] = ()  # of the whole run
    begun: int = 0  # how many of the drafts were for attempts before this one
    older: int = 0  # how many of the drafts were for designs before this one
    fixes: int = 0
    checked: Checked | None = None
    trained: Trained | None = None
    attempts: tuple[Attempt, ...] = ()  # complete ones before this one
    sandbox: str = ""  # the kind of box that was last used

    @property
    def design(self) -> EnvDesign:
        assert self.designed is not None
        return self.designed.design

    @property
    def source(self) -> str:
        return self.drafts[-1].source

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What was last found wrong with the last draft."""
        return self.drafts[-1].findings if len(self.drafts) > self.begun else ()

    @property
    def complete(self) -> Attempt | None:
        """The attempt under way, where it has a verdict."""
        if self.designed is None or self.checked is None or self.trained is None or not self.trained.outcome.trained:
            return None
        return Attempt(
            design=self.designed.design,
            design_origin=self.designed.origin,
            drafts=self.drafts[self.begun :],
            check=self.checked.report,
            outcome=self.trained.outcome,
        )


def story_of(history: Sequence[Happening]) -> Story:
    story = Story()
    for happening in history:
        story = _told(story, happening)
    return story


def _told(story: Story, happening: Happening) -> Story:
    match happening:
        case Designed():
            return _designed(story, happening)
        case Answered(question=question, answer=answer):
            pair = QuestionAnswered(question=question, answer=answer)
            return replace(story, answered=(*story.answered, pair))
        case Reviewed(design=design, diff=diff):
            assert story.designed is not None
            return replace(story, designed=story.designed.model_copy(update={"design": design}), review_diff=diff)
        case Wrote(source=source, origin=origin, twin=twin):
            fixes = story.fixes + (len(story.drafts) > story.older)
            draft = Draft(source=source, origin=origin, twin=twin)
            return replace(story, drafts=(*story.drafts, draft), fixes=fixes)
        case Checked(report=report, sandbox=sandbox):
            found = _found(story.drafts, report.errors)
            return replace(story, checked=happening, trained=None, drafts=found, sandbox=sandbox)
        case Trained(outcome=outcome, sandbox=sandbox):
            found = _found(story.drafts, errors_of(outcome))
            return replace(story, trained=happening, drafts=found, sandbox=sandbox)
        case Questioned() | Advised() | Reported() | GaveUp() | Stopped():
            return story


def _designed(story: Story, designed: Designed) -> Story:
    drafts = len(story.drafts)
    revised = replace(story, designed=designed, revisions=story.revisions + (story.designed is not None), older=drafts)
    if story.complete is None:
        return revised
    return replace(revised, attempts=(*story.attempts, story.complete), begun=drafts, checked=None, trained=None)


def _found(drafts: tuple[Draft, ...], errors: tuple[Finding, ...]) -> tuple[Draft, ...]:
    return (*drafts[:-1], drafts[-1].model_copy(update={"findings": errors}))


def errors_of(outcome: TrainOutcome) -> tuple[Finding, ...]:
    """What stopped the training; nothing where there is a verdict."""
    return () if outcome.trained else tuple(f for f in outcome.findings if f.severity is Severity.ERROR)
