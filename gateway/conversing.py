"""Conversing: what a model writes and takes, and what passes between the designer and the user, as events."""

from __future__ import annotations

from gateway.entries import Telling
from gateway.steps import Step
from gateway.telling import state_of
from gateway.wording import counted, one_line
from kit.contracts.design import EnvDesign
from kit.contracts.runs import DesignReviewed, RunState, TextWritten
from kit.contracts.spending import Usage


def of_text(step: Step, piece: TextWritten) -> Telling:
    begins = "begins anew" if piece.restarts else "is being written"
    return Telling(
        state=state_of(step),
        message=f"The {one_line(piece.purpose, 40)} {begins} ({counted(len(piece.text), 'character')}).",
        text_written=piece,
    )


def of_usage(step: Step, usage: Usage) -> Telling:
    cost = f"${usage.cost_usd:.4f}" if usage.cost_usd is not None else "price not known"
    return Telling(
        state=state_of(step),
        message=f"{one_line(usage.model, 80)}: {one_line(usage.purpose, 40)},"
        f" {usage.input_tokens:,} + {usage.output_tokens:,} tokens, {cost}.",
        used=usage,
    )


def of_question(question: str) -> Telling:
    return Telling(state=RunState.ASKING, message=f"The designer asks: {one_line(question)}", question=question)


def to_review(design: EnvDesign) -> Telling:
    message = f'The design "{one_line(design.title, 80)}" waits for your review.'
    return Telling(state=RunState.REVIEWING, message=message)


def of_answer(answer: str) -> Telling:
    return Telling(state=RunState.DESIGNING, message=f"You answered: {one_line(answer)}", answer=answer)


def of_review(reviewed: DesignReviewed) -> Telling:
    changed = sum(line[0] in "+-" for line in reviewed.diff.splitlines()[2:])
    what = f"You edited the design ({counted(changed, 'changed line')})." if changed else "You accepted the design."
    return Telling(state=RunState.DESIGNING, message=what, reviewed=reviewed)
