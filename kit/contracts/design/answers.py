"""DesignAnswer: what a designer may answer to a problem: a design, one question, or the advice to use another tool."""

from __future__ import annotations

from enum import StrEnum

from pydantic import model_validator

from kit.contracts.design.env_design import EnvDesign, Fit, FitVerdict
from kit.contracts.records import Record


class AnswerKind(StrEnum):
    DESIGN = "DESIGN"
    QUESTION = "QUESTION"
    ADVICE = "ADVICE"


class DesignAnswer(Record):
    """Exactly the part that `kind` names is given.

    question: the one thing that must be known before anything can be designed, as a question to the user.
    advice: which tool serves better than reinforcement learning, and why.
    """

    kind: AnswerKind
    question: str | None = None
    advice: Fit | None = None
    design: EnvDesign | None = None

    @model_validator(mode="after")
    def _has_the_part_of_its_kind(self) -> DesignAnswer:
        parts = {
            AnswerKind.DESIGN: self.design,
            AnswerKind.QUESTION: (self.question or "").strip() or None,
            AnswerKind.ADVICE: self.advice,
        }
        given = [kind for kind, part in parts.items() if part is not None]
        if given != [self.kind]:
            raise ValueError(f"kind {self.kind} wants exactly the part {self.kind.lower()}, and no other")
        if self.advice is not None and (self.advice.verdict is FitVerdict.RL or not self.advice.better_tool):
            raise ValueError("an advice has the verdict BETTER_TOOL and names the better_tool")
        return self
