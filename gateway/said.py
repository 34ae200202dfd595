"""Said: one message of a job, as the executor's and the trainer's watches stream them."""

from __future__ import annotations

from kit.contracts.findings import CheckReport, Finding
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import TrainingProgress


class CheckSaid(Record):
    """Exactly one of group, finding and report is set; the report is the last."""

    sequence: int
    group: str | None = None
    finding: Finding | None = None
    report: CheckReport | None = None


class TrainingSaid(Record):
    """Exactly one of progress, note and outcome is set; the outcome is the last."""

    sequence: int
    progress: TrainingProgress | None = None
    note: str | None = None
    outcome: TrainOutcome | None = None
