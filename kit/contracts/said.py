"""What an agent's job says while it works, numbered from 1 without gaps; exactly one part is set."""

from __future__ import annotations

from kit.contracts.findings import CheckReport, Finding
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import TrainingProgress


class CheckSaid(Record):
    """group: the name of the group of checks that begins. report: always last."""

    sequence: int = 0
    group: str | None = None
    finding: Finding | None = None
    report: CheckReport | None = None


class TrainSaid(Record):
    """note: one line of what the job is doing now. outcome: always last."""

    sequence: int = 0
    progress: TrainingProgress | None = None
    note: str | None = None
    outcome: TrainOutcome | None = None
