"""The repair loop: what happened so far decides the next step. Pure: no clock, no network, no chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.happenings import Checked, Designed, GaveUp, Happening, Reported, Stopped, Trained, Wrote
from gateway.wording import counted, finding_in_words, first_of
from kit.contracts.design import EnvDesign
from kit.contracts.design.env_design import FitVerdict
from kit.contracts.findings import Blame, CheckReport, Finding, Severity
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import Draft, Origin, RunState


class Rules(Record):
    """How often a run may repair; for the whole run, checking and training together."""

    fixes_allowed: int = 2  # by the coder
    revisions_allowed: int = 1  # by the designer; they cost the coder nothing


@dataclass(frozen=True)
class Design:
    name: str = "design"


@dataclass(frozen=True)
class Revise:
    """The designer changes the design as the findings ask."""

    name: str
    design: EnvDesign
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Write:
    """The coder writes a first draft for a design."""

    name: str
    design: EnvDesign


@dataclass(frozen=True)
class Repair:
    """The coder repairs. drafts: those of this design, oldest first, with what was found wrong with each."""

    name: str
    design: EnvDesign
    drafts: tuple[Draft, ...]
    findings: tuple[Finding, ...]
    fix: int
    fixes_allowed: int


@dataclass(frozen=True)
class Check:
    name: str
    design: EnvDesign
    source: str


@dataclass(frozen=True)
class Train:
    name: str
    design: EnvDesign
    source: str


@dataclass(frozen=True)
class Report:
    name: str
    design: EnvDesign
    design_origin: Origin
    drafts: tuple[Draft, ...]
    check: CheckReport
    outcome: TrainOutcome
    sandbox: str


@dataclass(frozen=True)
class End:
    """The run rests. reason: why, in a sentence; empty where it succeeded."""

    state: RunState
    reason: str = ""
    name: str = "end"


Step = Design | Revise | Write | Repair | Check | Train | Report | End


@dataclass(frozen=True)
class Story:
    """What the happenings add up to."""

    designed: Designed | None = None
    revisions: int = 0
    drafts: tuple[Draft, ...] = ()
    older: int = 0  # how many of the drafts were for the design before its revision
    fixes: int = 0
    checked: Checked | None = None
    trained: Trained | None = None

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
        return self.drafts[-1].findings if self.drafts else ()


def story_of(history: Sequence[Happening]) -> Story:
    story = Story()
    for happening in history:
        story = _told(story, happening)
    return story


def _told(story: Story, happening: Happening) -> Story:
    match happening:
        case Designed():
            revisions = story.revisions + (story.designed is not None)
            older = len(story.drafts)
            return _with(story, designed=happening, revisions=revisions, older=older)
        case Wrote(source=source, origin=origin):
            fixes = story.fixes + (len(story.drafts) > story.older)
            return _with(story, drafts=(*story.drafts, Draft(source=source, origin=origin)), fixes=fixes)
        case Checked(report=report):
            return _with(story, checked=happening, trained=None, drafts=_found(story.drafts, report.errors))
        case Trained(outcome=outcome):
            return _with(story, trained=happening, drafts=_found(story.drafts, errors_of(outcome)))
        case Reported() | GaveUp() | Stopped():
            return story


def _with(story: Story, **changes: object) -> Story:
    return Story(**{**vars(story), **changes})


def _found(drafts: tuple[Draft, ...], errors: tuple[Finding, ...]) -> tuple[Draft, ...]:
    return (*drafts[:-1], drafts[-1].model_copy(update={"findings": errors}))


def errors_of(outcome: TrainOutcome) -> tuple[Finding, ...]:
    """What stopped the training; nothing where there is a verdict."""
    return () if outcome.trained else tuple(f for f in outcome.findings if f.severity is Severity.ERROR)


def next_step(history: Sequence[Happening], rules: Rules) -> Step:
    """What to do after all of this."""
    if not history:
        return Design()
    story = story_of(history)
    number = len(story.drafts)
    match history[-1]:
        case Designed(design=design):
            return _after_design(design, number)
        case Wrote():
            return Check(f"check-{number}", story.design, story.source)
        case Checked(report=report):
            if report.passed:
                return Train(f"train-{number}", story.design, story.source)
            return _after_errors(story, rules)
        case Trained(outcome=outcome):
            if outcome.trained:
                return _report(story)
            if not story.errors:
                return End(RunState.FAILED, "Training ended without a verdict and without saying why.")
            return _after_errors(story, rules)
        case Reported():
            return End(RunState.SUCCEEDED)
        case GaveUp(reason=reason):
            return End(RunState.FAILED, _with_last_finding(reason, story))
        case Stopped():
            return End(RunState.CANCELLED, "Cancelled as you asked.")


def _after_design(design: EnvDesign, drafts: int) -> Step:
    if design.fit.verdict is FitVerdict.BETTER_TOOL:
        reason = f"Reinforcement learning is not the tool for this; use {design.fit.better_tool}: {design.fit.why}"
        return End(RunState.FAILED, reason)
    return Write(f"write-{drafts + 1}", design)


def _after_errors(story: Story, rules: Rules) -> Step:
    """Design findings first: while the design is wrong, nobody can know whether the code is."""
    blamed = {blame: tuple(f for f in story.errors if f.blame is blame) for blame in Blame}
    if wrong := blamed[Blame.DESIGN]:
        if story.revisions < rules.revisions_allowed:
            return Revise(f"revise-{story.revisions + 1}", story.design, wrong)
        return End(
            RunState.FAILED,
            f"The design is still wrong after {counted(story.revisions, 'revision')}: {first_of(wrong)}",
        )
    if wrong := blamed[Blame.CODE]:
        if story.fixes < rules.fixes_allowed:
            drafts = story.drafts[story.older :]
            fix = story.fixes + 1
            return Repair(f"repair-{len(story.drafts) + 1}", story.design, drafts, wrong, fix, rules.fixes_allowed)
        return End(
            RunState.FAILED, f"The environment is still wrong after {counted(story.fixes, 'fix')}: {first_of(wrong)}"
        )
    return End(RunState.FAILED, f"The training budget was too small: {first_of(blamed[Blame.BUDGET])}")


def _report(story: Story) -> Step:
    assert story.designed is not None and story.checked is not None and story.trained is not None
    return Report(
        name="report",
        design=story.design,
        design_origin=story.designed.origin,
        drafts=story.drafts,
        check=story.checked.report,
        outcome=story.trained.outcome,
        sandbox=story.trained.sandbox,
    )


def _with_last_finding(reason: str, story: Story) -> str:
    """An agent that can't repair leaves the finding that it should have repaired."""
    return f"{reason} The last finding: {finding_in_words(story.errors[0])}" if story.errors else reason
