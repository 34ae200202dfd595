"""Reports: everything that the reporter needs to know of a run."""

from __future__ import annotations

from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport
from kit.contracts.outcomes import TrainOutcome
from kit.contracts.records import Record
from kit.contracts.runs import Draft, Origin, RunOptions
from kit.contracts.spending import Usage


class Attempt(Record):
    """A design that was written, checked and trained, and then revised after its verdict."""

    design: EnvDesign
    design_origin: Origin
    drafts: tuple[Draft, ...]
    check: CheckReport
    outcome: TrainOutcome


class ReportRequest(Record):
    """Everything the reporter needs to know of a run."""

    run_id: str
    problem: str
    options: RunOptions
    design: EnvDesign
    design_origin: Origin
    drafts: tuple[Draft, ...]  # every version of the source, oldest first; the last is the one trained
    check: CheckReport
    outcome: TrainOutcome
    sandbox: str  # what kind of box was used, and how it is weaker, if it is
    usages: tuple[Usage, ...] = ()  # every call of a language model, oldest first
    others: tuple[Attempt, ...] = ()  # complete attempts that were not chosen
    review_diff: str = ""  # what the user changed in the design; empty: nothing
    note: str = ""  # why no later attempt takes the place of this one, in a sentence
