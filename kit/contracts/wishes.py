"""Wishes: what the gateway asks of the designer and the coder."""

from __future__ import annotations

from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding
from kit.contracts.records import Record
from kit.contracts.runs import Draft


class QuestionAnswered(Record):
    question: str
    answer: str


class DesignWish(Record):
    """What the designer is asked for.

    answered: what it asked before and what the user said. insist: the user wants reinforcement learning
    even where another tool would serve better. budget_usd: what may still be spent on models.
    """

    problem: str
    answered: tuple[QuestionAnswered, ...] = ()
    insist: bool = False
    budget_usd: float | None = None


class RevisionWish(Record):
    """The design is to be changed, as little as the findings (those that blame the design) ask for."""

    problem: str
    design: EnvDesign
    findings: tuple[Finding, ...]
    budget_usd: float | None = None


class CodeWish(Record):
    """The coder is asked for a first draft."""

    design: EnvDesign
    budget_usd: float | None = None


class RepairWish(Record):
    """drafts: all so far with what was found wrong with each, oldest first; at least one."""

    design: EnvDesign
    drafts: tuple[Draft, ...]
    budget_usd: float | None = None
