"""A run as its events tell it: five stages, what was found and repaired, and how training goes. Draws nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gymwright.cli.words import origin_word, plural, printable, span
from gymwright.v1 import design_pb2, findings_pb2, outcomes_pb2, run_pb2
from gymwright.views import RunEvent, RunState

STAGES: Final = ("design", "code", "check", "train", "report")
STAGE_OF: Final = {
    RunState.DESIGNING: "design",
    RunState.CODING: "code",
    RunState.CHECKING: "check",
    RunState.TRAINING: "train",
    RunState.REPORTING: "report",
}


KEPT: Final = 4000  # characters of what is being written


class Mark(StrEnum):
    WAITING = "waiting"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass
class Stage:
    """One line of the screen. Times are the gateway's, in seconds since the epoch."""

    name: str
    mark: Mark = Mark.WAITING
    note: str = ""
    aside: str = ""  # what a reader may skip
    since_s: float | None = None
    until_s: float | None = None

    def line(self) -> str:
        """Note and aside on one line."""
        return f"{self.note} ({self.aside})" if self.aside else self.note

    def seconds(self, now_s: float) -> float | None:
        if self.since_s is None:
            return None
        return max(0.0, (self.until_s if self.until_s is not None else now_s) - self.since_s)


@dataclass(frozen=True)
class Fixing:
    """The findings above it go to whoever can fix them."""

    fix: int
    allowed: int


@dataclass
class Story:
    """Everything the events have told so far."""

    stages: dict[str, Stage] = field(default_factory=lambda: {name: Stage(name) for name in STAGES})
    state: RunState = RunState.STARTING
    said: str = ""
    reason: str = ""
    last_at_s: float = 0.0
    history: list[findings_pb2.Finding | Fixing] = field(default_factory=list)
    progress: run_pb2.TrainingProgress | None = None
    rewards: list[float] = field(default_factory=list)
    primaries: list[float] = field(default_factory=list)
    metrics: tuple[design_pb2.Metric, ...] = ()  # of the latest design; the first is primary
    outcome: outcomes_pb2.TrainOutcome | None = None
    ended: run_pb2.RunEnded | None = None
    writing: str = ""  # the end of what a model is writing just now
    calls: list[run_pb2.Usage] = field(default_factory=list)  # of language models
    _purpose: str = ""  # of what is being written
    _origin: str = ""  # of the design

    def hear(self, event: RunEvent) -> None:
        """Take in the next event."""
        self.last_at_s = event.at_s
        self.said = printable(event.message)
        if event.state is not self.state:
            self.state = event.state
            self._enter(STAGE_OF.get(event.state, ""), event.at_s)
        match event.detail:
            case run_pb2.DesignWritten() as written:
                self._designed(written, event.at_s)
            case run_pb2.CodeWritten() as written:
                self._coded(written, event.at_s)
            case findings_pb2.Finding() as finding:
                self._found([finding])
            case findings_pb2.CheckReport() as report:
                self._checked(report, event.at_s)
            case run_pb2.FixStarted() as fixing:
                self._found(fixing.findings)
                self.history.append(Fixing(fixing.fix, fixing.fixes_allowed))
                self._remark(f"fix {fixing.fix} of {fixing.fixes_allowed}")
            case run_pb2.TrainingProgress() as progress:
                self._trained_on(progress)
            case outcomes_pb2.TrainOutcome() as outcome:
                self._trained(outcome, event.at_s)
            case run_pb2.RunEnded() as ended:
                self._ended(ended, event.at_s)
            case run_pb2.TextWritten() as text:
                self._write(text)
            case run_pb2.Usage() as usage:
                self.calls.append(usage)
            case run_pb2.DesignReviewed() as reviewed:
                self._reviewed(reviewed, event.at_s)
            case None:
                self._remark(self.said)

    def _enter(self, name: str, at_s: float) -> None:
        """The run went on, or back, to this stage: what follows it has to be done again."""
        if not name:
            return
        place = STAGES.index(name)
        for stage in self.stages.values():
            if STAGES.index(stage.name) > place:
                self.stages[stage.name] = Stage(stage.name)
            elif stage.name != name and stage.mark is Mark.ACTIVE:
                self._close(stage.name, Mark.DONE, "", at_s)
        self.stages[name] = Stage(name, Mark.ACTIVE, since_s=at_s)
        self._written()

    def _write(self, text: run_pb2.TextWritten) -> None:
        goes_on = text.purpose == self._purpose and not text.restarts
        self._purpose = text.purpose
        self.writing = ((self.writing if goes_on else "") + text.text)[-KEPT:]

    def _written(self) -> None:
        self.writing, self._purpose = "", ""

    def _close(self, name: str, mark: Mark, note: str, at_s: float, aside: str = "") -> None:
        stage = self.stages[name]
        since_s = stage.since_s if stage.since_s is not None else at_s
        self.stages[name] = Stage(name, mark, note, aside, since_s, at_s)

    def _remark(self, remark: str) -> None:
        """What the stage is busy with; it takes the place of the progress before it."""
        self.progress = None
        if (name := STAGE_OF.get(self.state)) and self.stages[name].mark is Mark.ACTIVE:
            self.stages[name].note = remark

    def _designed(self, written: run_pb2.DesignWritten, at_s: float) -> None:
        self.metrics = tuple(written.design.metrics)
        self._origin = origin_word(written.origin)
        title = printable(written.design.title or written.design.name)
        self._close("design", Mark.DONE, title, at_s, self._origin)
        self._written()

    def _reviewed(self, reviewed: run_pb2.DesignReviewed, at_s: float) -> None:
        self.metrics = tuple(reviewed.design.metrics)
        title = printable(reviewed.design.title or reviewed.design.name)
        aside = f"{self._origin}; edited by you" if reviewed.diff else f"{self._origin}; accepted by you"
        self._close("design", Mark.DONE, title, at_s, aside)

    def _coded(self, written: run_pb2.CodeWritten, at_s: float) -> None:
        draft = f"fix {written.fix}" if written.fix else "first draft"
        lines = plural(len(written.source.splitlines()), "line")
        self._written()
        origin = origin_word(written.origin)
        said_already = self._origin.startswith(origin)
        self._close("code", Mark.DONE, f"{draft}, {lines}", at_s, "" if said_already else origin)

    def _checked(self, report: findings_pb2.CheckReport, at_s: float) -> None:
        self._found(report.findings)
        errors, rest = counted(report.findings)
        ran = f"{plural(report.episodes, 'episode')}, {plural(report.steps, 'step')}"
        note = f"{errors}, {rest}".strip(", ") if errors else f"passed, {rest or ran}"
        self._close("check", Mark.FAILED if errors else Mark.DONE, note, at_s)

    def _found(self, findings: Iterable[findings_pb2.Finding]) -> None:
        """Keep what is new since the last fix; notes teach, and are left to the report."""
        latest = set[tuple[str, int, str]]()
        for happened in reversed(self.history):
            if isinstance(happened, Fixing):
                break
            latest.add(_told(happened))
        for finding in findings:
            if finding.severity != findings_pb2.SEVERITY_NOTE and _told(finding) not in latest:
                latest.add(_told(finding))
                self.history.append(finding)

    def _trained_on(self, progress: run_pb2.TrainingProgress) -> None:
        self.progress = progress
        if progress.HasField("mean_reward") and math.isfinite(progress.mean_reward):
            self.rewards.append(progress.mean_reward)
        primary = self.metrics[0].name if self.metrics else ""
        self.primaries += [one.value for one in progress.metrics if one.name == primary and math.isfinite(one.value)]

    def _trained(self, outcome: outcomes_pb2.TrainOutcome, at_s: float) -> None:
        self.outcome = outcome
        self._found(outcome.findings)
        if not outcome.HasField("training"):
            errors, rest = counted(outcome.findings)
            self._close("train", Mark.FAILED, f"{errors}, {rest}".strip(", ") or "no policy came out", at_s)
            return
        training = outcome.training
        note = f"{training.algorithm}, {plural(training.total_timesteps, 'step')} in {span(training.wall_s)}"
        self._close("train", Mark.DONE, f"{note}, {training.steps_per_s:,.0f} steps/s", at_s)

    def _ended(self, ended: run_pb2.RunEnded, at_s: float) -> None:
        self.ended = ended
        self._written()
        self.reason = printable(ended.reason)
        marks = {RunState.SUCCEEDED: Mark.DONE, RunState.FAILED: Mark.FAILED}
        for stage in self.stages.values():
            if stage.mark is Mark.ACTIVE:
                mark = marks.get(self.state, Mark.STOPPED)
                self._close(stage.name, mark, "" if mark is Mark.DONE else stage.note, at_s)


def counted(findings: Iterable[findings_pb2.Finding]) -> tuple[str, str]:
    """The errors, and the warnings, in words; empty where there are none."""
    severities = [finding.severity for finding in findings]
    errors = severities.count(findings_pb2.SEVERITY_ERROR)
    warnings = severities.count(findings_pb2.SEVERITY_WARNING)
    return plural(errors, "error") if errors else "", plural(warnings, "warning") if warnings else ""


def _told(finding: findings_pb2.Finding) -> tuple[str, int, str]:
    """What a screen shows of a finding; the same again, with other evidence, tells nothing new."""
    return (finding.check, finding.line, finding.message)
