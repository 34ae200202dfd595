"""Steps: what a run may do next, with all that is needed to do it; a step's name is its own in the run."""

from __future__ import annotations

from dataclasses import dataclass

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.outcomes import VerdictKind
from kit.contracts.records import Record
from kit.contracts.reports import Attempt
from kit.contracts.runs import Draft, RunState
from kit.contracts.wishes import QuestionAnswered


class Rules(Record):
    """How often a run may do things over; for the whole run, checking, training and reflection together."""

    fixes_allowed: int = 2  # by the coder
    revisions_allowed: int = 1  # by the designer; they cost the coder nothing
    questions_allowed: int = 3  # by the designer, to the user


@dataclass(frozen=True)
class Design:
    """answered: what the designer asked before, and what the user said."""

    name: str = "design"
    answered: tuple[QuestionAnswered, ...] = ()


@dataclass(frozen=True)
class Ask:
    """The user has to answer the designer's question. number: counts from 1."""

    name: str
    number: int
    question: str


@dataclass(frozen=True)
class Review:
    """The user has to accept the design, or to edit it."""

    design: EnvDesign
    name: str = "review"


@dataclass(frozen=True)
class Revise:
    """The designer changes the design as the findings ask. verdict: which one they come from; None: from errors."""

    name: str
    design: EnvDesign
    findings: tuple[Finding, ...]
    verdict: VerdictKind | None = None


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
    twin: str = ""


@dataclass(frozen=True)
class Report:
    """The attempt that counts. number: which it was, from 1; latest: the last that was begun.

    others: complete attempts that were not chosen. note: why no other attempt came out better, in a sentence.
    """

    attempt: Attempt
    sandbox: str
    number: int = 1
    latest: int = 1
    others: tuple[Attempt, ...] = ()
    review_diff: str = ""
    note: str = ""
    name: str = "report"


@dataclass(frozen=True)
class End:
    """The run rests. reason: why, in a sentence; empty where it succeeded."""

    state: RunState
    reason: str = ""
    name: str = "end"


Step = Design | Ask | Review | Revise | Write | Repair | Check | Train | Report | End
