"""ModelDesigner: a language model fills in the design; what it says is validated and linted, never trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from gymwright.errors import NoValidDesign
from kit.contracts.design import AnswerKind, DesignAnswer, EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.contracts.linting import lint
from kit.contracts.records import Record
from kit.contracts.runs import DesignWish, DesignWritten, Origin, RevisionWish, TextWritten, Usage
from kit.contracts.said import DesignSaid
from kit.contracts.wire import complaints
from kit.library import WorkedProblem
from kit.llm import Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.examples import nearest_within
from kit.llm.extracting import json_object
from kit.prose import Prose, fenced
from services.designer.designing import Say, problem_text

PROMPTS: Final = Path(__file__).parent / "prompts"
MOST_COMPLAINTS: Final = 12
MOST_EXAMPLE: Final = 24_000  # characters, about 7,000 tokens
NO_CEILING: Final = Ceiling()


class ModelDesigner:
    """Asks a model, and tells it what is wrong with its design, at most `tries` times in all.

    origin: what is said of every design; its detail gets what the answer was for, and of a model's also
        what it cost and which prompts were in force.
    """

    def __init__(self, model: ChatModel, origin: Origin, tries: int = 3, ceiling: Ceiling = NO_CEILING) -> None:
        self._model = model
        self._ceiling = ceiling
        self._origin = origin
        self._tries = tries
        self._prompts = Prose(PROMPTS)

    async def design(self, wish: DesignWish, say: Say) -> DesignSaid:
        text = problem_text(wish.problem)
        prompt = self._prompts.fill("design_env", problem=fenced(text, "text"), example=self._example(text))
        return await self._ask("design", DesignAnswer, prompt, self._ceiling.within(wish.budget_usd), say)

    async def revise(self, wish: RevisionWish, say: Say) -> DesignSaid:
        prompt = self._prompts.fill(
            "revise_design",
            problem=fenced(problem_text(wish.problem), "text"),
            design=fenced(wish.design.model_dump_json(indent=1), "json"),
            findings=_listed(wish.findings),
        )
        return await self._ask("revision", EnvDesign, prompt, self._ceiling.within(wish.budget_usd), say)

    def _example(self, problem: str) -> str:
        worked = nearest_within(problem, _shown, MOST_EXAMPLE)
        if worked is None:
            return self._prompts.fill("no_example")
        return self._prompts.fill("example", problem=fenced(worked.problem, "text"), design=_shown(worked))

    async def _ask(self, purpose: str, form: type[Record], prompt: str, ceiling: Ceiling, say: Say) -> DesignSaid:
        message = Message(role=Role.USER, text=prompt)
        ask = Ask(purpose=purpose, system=self._prompts.fill("designer"), messages=(message,), form=form)
        conversation = Conversation(self._model, ceiling, purpose, lambda said: say(_on_the_way(said)))
        complaint = ""
        for _ in range(self._tries):
            answer = await conversation.answer(ask)
            if answer.stop is Stop.REFUSED:
                raise NoValidDesign(f"The model would not write a design: {answer.text or 'it gave no reason'}")
            if answer.stop is Stop.LENGTH:
                complaint = self._prompts.fill("cut_off")
                ask = ask.again(answer.text, complaint)
                continue
            parsed, complaint = _parsed(answer.text)
            if parsed is not None and parsed.design is not None:
                origin = conversation.told(self._origin, purpose, self._prompts.digest)
                return DesignSaid(design=DesignWritten(design=parsed.design, origin=origin))
            if parsed is not None:
                return DesignSaid(question=parsed.question, advice=parsed.advice)
            ask = ask.again(answer.text, self._prompts.fill("again", complaint=complaint))
        raise NoValidDesign(
            f"{self._model.name} wrote no valid design in {self._tries} tries; the last one: {complaint} "
            f"({conversation.spent})"
        )


def _shown(worked: WorkedProblem) -> str:
    return fenced(worked.design.model_dump_json(exclude_defaults=True), "json")


def _on_the_way(said: TextWritten | Usage) -> DesignSaid:
    return DesignSaid(text=said) if isinstance(said, TextWritten) else DesignSaid(used=said)


def _parsed(text: str) -> tuple[DesignAnswer | None, str]:
    """The answer, or what is wrong with it. A bare design is taken for the answer that it is."""
    found = json_object(text)
    try:
        answer = _answer_in(found)
    except ValidationError as problem:
        return None, complaints(problem)
    errors = [f for f in lint(answer.design) if f.severity is Severity.ERROR] if answer.design is not None else []
    return (None, _listed(tuple(errors))) if errors else (answer, "")


def _answer_in(text: str) -> DesignAnswer:
    try:
        keys = json.loads(text).keys()
    except (ValueError, AttributeError):
        keys = ()
    if "kind" in keys:
        return DesignAnswer.model_validate_json(text)
    return DesignAnswer(kind=AnswerKind.DESIGN, design=EnvDesign.model_validate_json(text))


def _listed(findings: tuple[Finding, ...]) -> str:
    return "\n".join(
        f"- {' '.join(part for part in (finding.message, finding.evidence, finding.remedy) if part)}"
        for finding in findings[:MOST_COMPLAINTS]
    )
