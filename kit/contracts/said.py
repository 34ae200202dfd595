"""What an agent says while it works: parts, then its answer. Of a job they are numbered from 1 without gaps."""

from __future__ import annotations

from kit.contracts.design import Fit
from kit.contracts.findings import CheckReport, Finding
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import CodeWritten, DesignWritten, TextWritten, TrainingProgress
from kit.contracts.spending import Usage


class DesignSaid(Record):
    """Exactly one is set; design, question and advice are answers, and the last message is one."""

    text: TextWritten | None = None
    used: Usage | None = None
    design: DesignWritten | None = None
    question: str | None = None
    advice: Fit | None = None


class CodeSaid(Record):
    """Exactly one is set; code is the last message."""

    text: TextWritten | None = None
    used: Usage | None = None
    code: CodeWritten | None = None


class CheckSaid(Record):
    """Exactly one part is set. group: the name of the group of checks that begins. report: always last."""

    sequence: int = 0
    group: str | None = None
    finding: Finding | None = None
    report: CheckReport | None = None


class EnvironmentSaid(Record):
    """What the check of an environment without a run says; exactly one part is set, and the report is last."""

    group: str | None = None
    finding: Finding | None = None
    report: CheckReport | None = None


class TrainSaid(Record):
    """Exactly one part is set. note: one line of what the job is doing now. outcome: always last."""

    sequence: int = 0
    progress: TrainingProgress | None = None
    note: str | None = None
    outcome: TrainOutcome | None = None
