"""Telling: each step, each thing a job says and each happening as an event, with one line for the screen."""

from __future__ import annotations

from gateway.entries import Standing, Telling
from gateway.happenings import Checked, Designed, Happening, Reported, Trained, Wrote
from gateway.steps import Ask, Check, Design, End, Repair, Report, Review, Revise, Step, Train, Write
from gateway.stories import Story
from gateway.wording import counted, first_of, one_line, place_of, places_of, sentence
from kit.contracts.findings import CheckReport, Severity
from kit.contracts.outcomes import Artifact, TrainOutcome, Verdict
from kit.contracts.runs import (
    CodeWritten,
    DesignWritten,
    FixStarted,
    Origin,
    RunEnded,
    RunState,
    TrainingProgress,
)
from kit.contracts.said import CheckSaid, TrainSaid

Work = Design | Revise | Write | Repair | Check | Train | Report
"""The steps that an agent does."""

STARTED = Telling(state=RunState.STARTING, message="The run has started.")
CANCELLING = Telling(state=RunState.CANCELLING, message="Cancelling; what is running in a box is being ended.")


def state_of(step: Step) -> RunState:
    match step:
        case Design() | Revise():
            return RunState.DESIGNING
        case Ask():
            return RunState.ASKING
        case Review():
            return RunState.REVIEWING
        case Write() | Repair():
            return RunState.CODING
        case Check():
            return RunState.CHECKING
        case Train():
            return RunState.TRAINING
        case Report():
            return RunState.REPORTING
        case End(state=state):
            return state


def of_start(step: Work, story: Story) -> Telling:
    """What is said when a step begins."""
    state = state_of(step)
    found_by = "Training" if story.trained is not None and story.trained.outcome.findings else "The check"
    match step:
        case Revise(verdict=verdict) if verdict is not None:
            message = f"The verdict is {verdict}, and the design is to blame; asking the designer to revise it."
            return Telling(state=state, message=message)
        case Revise(findings=findings):
            errors = counted(len(findings), "error")
            message = (
                f"{found_by} found {errors} in the design: {places_of(findings)}; asking the designer to revise it."
            )
            return Telling(state=state, message=message)
        case Repair(findings=findings, fix=fix, fixes_allowed=allowed):
            errors = f"{found_by} found {counted(len(findings), 'error')}: {places_of(findings)}"
            return Telling(
                state=state,
                message=f"{errors}; asking the coder to fix ({fix} of {allowed}).",
                fix_started=FixStarted(fix=fix, fixes_allowed=allowed, findings=findings),
            )
        case Design(answered=answered):
            again = ", knowing your answer" if answered else ""
            return Telling(state=state, message=f"Designing the environment{again}.")
        case Write():
            return Telling(state=state, message="Writing the environment.")
        case Check():
            return Telling(state=state, message=f"Checking draft {len(story.drafts)} in a throwaway box.")
        case Train():
            return Telling(state=state, message="Training a policy in a throwaway box.")
        case Report():
            return _of_report(step)


def of_check(said: CheckSaid) -> Telling:
    if said.finding is not None:
        finding = said.finding
        message = f"{finding.severity.capitalize()}: {place_of(finding)}: {one_line(finding.message)}"
        return Telling(state=RunState.CHECKING, message=message, finding=finding)
    return Telling(state=RunState.CHECKING, message=f"Checking {one_line(said.group or '')}.")


def of_training(said: TrainSaid) -> Telling:
    if said.progress is not None:
        return Telling(state=RunState.TRAINING, message=_progress(said.progress), progress=said.progress)
    return Telling(state=RunState.TRAINING, message=sentence(said.note or ""))


def of_happening(happening: Happening, story: Story) -> tuple[Telling, Standing] | None:
    """What is said once a step is over; None where the run's end says it. story: with the happening in it."""
    match happening:
        case Designed(design=design, origin=origin):
            revised = "Revised the design" if story.revisions else f'Designed "{one_line(design.title, 80)}"'
            message = f"{revised}: {_origin(origin)}."
            written = DesignWritten(design=design, origin=origin)
            telling = Telling(state=RunState.DESIGNING, message=message, design_written=written)
            return telling, Standing(design_name=design.name)
        case Wrote(source=source, origin=origin, twin=twin):
            fix = story.fixes if len(story.drafts) - 1 > story.older else 0
            what = f"Wrote fix {fix}" if fix else "Wrote the environment"
            message = f"{what} ({counted(len(source.splitlines()), 'line')}): {_origin(origin)}."
            draft = CodeWritten(source=source, origin=origin, fix=fix, twin=twin)
            return Telling(state=RunState.CODING, message=message, code_written=draft), Standing(fixes=story.fixes)
        case Checked(report=report):
            return Telling(state=RunState.CHECKING, message=_check(report), checked=report), Standing()
        case Trained(outcome=outcome):
            verdict = outcome.verdict.kind if outcome.verdict is not None else None
            telling = Telling(state=RunState.TRAINING, message=_training(outcome), trained=outcome)
            return telling, Standing(verdict=verdict)
        case Reported(artifacts=artifacts):
            message = f"Wrote the report ({counted(len(artifacts), 'file')})."
            return Telling(state=RunState.REPORTING, message=message), Standing()
        case _:
            return None


def of_end(end: End, verdict: Verdict | None, artifacts: tuple[Artifact, ...]) -> Telling:
    reason = end.reason or (f"{verdict.kind}: {one_line(verdict.reason)}" if verdict is not None else "")
    headline = end.state.capitalize()
    return Telling(
        state=end.state,
        message=one_line(f"{headline}: {reason}" if reason else f"{headline}.", 500),
        ended=RunEnded(state=end.state, reason=reason, artifacts=artifacts),
    )


def _of_report(step: Report) -> Telling:
    """Whoever watches hears which attempt counts, and has its outcome last."""
    why = sentence(step.note) if step.note else ""
    if not why and step.others:
        why = f"By {step.attempt.design.metrics[0].name} on the validation seeds it is the best: {_measured(step)}."
    if not why:
        return Telling(state=RunState.REPORTING, message="Writing the report.")
    trained = step.attempt.outcome if step.number != step.latest else None
    which = f" on attempt {step.number}" if step.latest > 1 else ""
    message = one_line(f"Writing the report{which}. {why}", 500)
    return Telling(state=RunState.REPORTING, message=message, trained=trained)


def _measured(step: Report) -> str:
    figures = [attempt.outcome.validation_primary for attempt in (step.attempt, *step.others)]
    return " against ".join("no figure" if figure is None else f"{figure:.4g}" for figure in figures)


def _origin(origin: Origin) -> str:
    return f"{origin.kind.lower()}, {one_line(origin.detail, 120)}"


def _progress(progress: TrainingProgress) -> str:
    reward = f", mean reward {progress.mean_reward:.4g}" if progress.mean_reward is not None else ""
    level = f", level {one_line(progress.level, 60)}" if progress.level else ""
    return (
        f"Trained {progress.timesteps:,} of {progress.total_timesteps:,} steps"
        f" at {progress.steps_per_s:,.0f} steps/s{level}{reward}."
    )


def _check(report: CheckReport) -> str:
    tried = (
        f"{counted(len(report.ran), 'group')} of checks, {counted(report.episodes, 'episode')}, {report.wall_s:.1f} s"
    )
    if report.passed:
        warnings = sum(finding.severity is Severity.WARNING for finding in report.findings)
        return f"The check passed ({tried})" + (f" with {counted(warnings, 'warning')}." if warnings else ".")
    return f"The check found {counted(len(report.errors), 'error')} ({tried}): {first_of(report.errors)}"


def _training(outcome: TrainOutcome) -> str:
    if outcome.verdict is not None:
        return f"Trained and measured: {outcome.verdict.kind}. {one_line(outcome.verdict.reason)}"
    return (
        f"Training was stopped: {first_of(outcome.findings)}" if outcome.findings else "Training ended with no verdict."
    )
