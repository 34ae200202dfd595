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
from kit.llm import Ask, ChatModel, Message, Role, Stop
from kit.prose import Prose, fenced
from services.designer.designing import problem_text

PROMPTS: Final = Path(__file__).parent / "prompts"
MOST_COMPLAINTS: Final = 12


class ModelDesigner:
    """Asks a model, and tells it what is wrong with its design, at most `tries` times in all.

    origin: what is said of every design; its detail gets what the answer was for.
    """

    def __init__(self, model: ChatModel, origin: Origin, tries: int = 3) -> None:
        self._model = model
        self._origin = origin
        self._tries = tries
        self._prompts = Prose(PROMPTS)

    async def design(self, problem: str) -> DesignWritten:
        prompt = self._prompts.fill("design_env", problem=fenced(problem_text(problem), "text"))
        return await self._ask("design", prompt)

    async def revise(self, problem: str, design: EnvDesign, findings: tuple[Finding, ...]) -> DesignWritten:
        prompt = self._prompts.fill(
            "revise_design",
            problem=fenced(problem_text(problem), "text"),
            design=fenced(design.model_dump_json(indent=1), "json"),
            findings=_listed(findings),
        )
        return await self._ask("revision", prompt)

    async def _ask(self, purpose: str, prompt: str) -> DesignWritten:
        message = Message(role=Role.USER, text=prompt)
        ask = Ask(purpose=purpose, system=self._prompts.fill("designer"), messages=(message,), form=EnvDesign)
        complaint = ""
        for _ in range(self._tries):
            answer = await self._model.answer(ask)
            if answer.stop is Stop.REFUSED:
                raise NoValidDesign(f"The model would not write a design: {answer.text or 'it gave no reason'}")
            design, complaint = _parsed(answer.text)
            if design is not None:
                detail = f"{self._origin.detail}, {purpose}"
                return DesignWritten(design=design, origin=self._origin.model_copy(update={"detail": detail}))
            ask = ask.again(answer.text, self._prompts.fill("again", complaint=complaint))
        raise NoValidDesign(
            f"{self._model.name} wrote no valid design in {self._tries} tries; the last one: {complaint}"
        )


def _parsed(text: str) -> tuple[EnvDesign | None, str]:
    """The design, or what is wrong with it."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        design = EnvDesign.model_validate_json(text[begin : end + 1] if begin >= 0 else text)
    except ValidationError as problem:
        return None, complaints(problem)
    errors = [finding for finding in lint(design) if finding.severity is Severity.ERROR]
    return (None, _listed(tuple(errors))) if errors else (design, "")


def _listed(findings: tuple[Finding, ...]) -> str:
    return "\n".join(
        f"- {' '.join(part for part in (finding.message, finding.evidence, finding.remedy) if part)}"
        for finding in findings[:MOST_COMPLAINTS]
    )
