"""ModelDesigner: a language model fills in the design; what it says is validated and linted, never trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from gymwright.errors import NoValidDesign
from kit.contracts.design import EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.contracts.linting import lint
from kit.contracts.runs import DesignWritten, Origin
from kit.contracts.wire import complaints
from kit.library import WorkedProblem
from kit.llm import Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.examples import nearest_within
from kit.llm.extracting import json_object
from kit.prose import Prose, fenced
from services.designer.designing import problem_text

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

    async def design(self, problem: str) -> DesignWritten:
        text = problem_text(problem)
        prompt = self._prompts.fill("design_env", problem=fenced(text, "text"), example=self._example(text))
        return await self._ask("design", prompt)

    async def revise(self, problem: str, design: EnvDesign, findings: tuple[Finding, ...]) -> DesignWritten:
        prompt = self._prompts.fill(
            "revise_design",
            problem=fenced(problem_text(problem), "text"),
            design=fenced(design.model_dump_json(indent=1), "json"),
            findings=_listed(findings),
        )
        return await self._ask("revision", prompt)

    def _example(self, problem: str) -> str:
        worked = nearest_within(problem, _shown, MOST_EXAMPLE)
        if worked is None:
            return self._prompts.fill("no_example")
        return self._prompts.fill("example", problem=fenced(worked.problem, "text"), design=_shown(worked))

    async def _ask(self, purpose: str, prompt: str) -> DesignWritten:
        message = Message(role=Role.USER, text=prompt)
        ask = Ask(purpose=purpose, system=self._prompts.fill("designer"), messages=(message,), form=EnvDesign)
        conversation = Conversation(self._model, self._ceiling)
        complaint = ""
        for _ in range(self._tries):
            answer = await conversation.answer(ask)
            if answer.stop is Stop.REFUSED:
                raise NoValidDesign(f"The model would not write a design: {answer.text or 'it gave no reason'}")
            if answer.stop is Stop.LENGTH:
                complaint = self._prompts.fill("cut_off")
                ask = ask.again(answer.text, complaint)
                continue
            design, complaint = _parsed(answer.text)
            if design is not None:
                origin = conversation.told(self._origin, purpose, self._prompts.digest)
                return DesignWritten(design=design, origin=origin)
            ask = ask.again(answer.text, self._prompts.fill("again", complaint=complaint))
        raise NoValidDesign(
            f"{self._model.name} wrote no valid design in {self._tries} tries; the last one: {complaint} "
            f"({conversation.spent})"
        )


def _shown(worked: WorkedProblem) -> str:
    return fenced(worked.design.model_dump_json(exclude_defaults=True), "json")


def _parsed(text: str) -> tuple[EnvDesign | None, str]:
    """The design, or what is wrong with it."""
    try:
        design = EnvDesign.model_validate_json(json_object(text))
    except ValidationError as problem:
        return None, complaints(problem)
    errors = [finding for finding in lint(design) if finding.severity is Severity.ERROR]
    return (None, _listed(tuple(errors))) if errors else (design, "")


def _listed(findings: tuple[Finding, ...]) -> str:
    return "\n".join(
        f"- {' '.join(part for part in (finding.message, finding.evidence, finding.remedy) if part)}"
        for finding in findings[:MOST_COMPLAINTS]
    )
