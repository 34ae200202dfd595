"""Entries: what is written into the ledger: where it comes from, what it says, and what it changes in the run."""

from __future__ import annotations

from kit.contracts.findings import CheckReport, Finding
from kit.contracts.outcomes import TrainOutcome, VerdictKind
from kit.contracts.records import Record
from kit.contracts.runs import (
    CodeWritten,
    DesignReviewed,
    DesignWritten,
    FixStarted,
    RunEnded,
    RunState,
    TextWritten,
    TrainingProgress,
)
from kit.contracts.spending import Usage


class Place(Record):
    """Where a telling comes from; what was told at a place before is not told again.

    number: None for the next one free, which is never a repetition.
    """

    step: str
    attempt: int = 0
    number: int | None = 0


class Telling(Record):
    """What there is to say: a RunEvent without its number and time."""

    state: RunState
    message: str
    design_written: DesignWritten | None = None
    code_written: CodeWritten | None = None
    finding: Finding | None = None
    checked: CheckReport | None = None
    fix_started: FixStarted | None = None
    progress: TrainingProgress | None = None
    trained: TrainOutcome | None = None
    ended: RunEnded | None = None
    text_written: TextWritten | None = None
    used: Usage | None = None
    question: str = ""
    answer: str = ""
    reviewed: DesignReviewed | None = None


class Standing(Record):
    """What changes in the run as it stands; None: stays."""

    fixes: int | None = None
    design_name: str | None = None
    verdict: VerdictKind | None = None
