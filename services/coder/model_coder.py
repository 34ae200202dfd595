"""ModelCoder: a language model writes and repairs the environment; its answers are parsed, not trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gymwright.errors import NoValidEnvironment, RequestWrong
from kit.contracts.design import EnvDesign
from kit.contracts.runs import Draft, Origin
from kit.library import WorkedProblem
from kit.llm import Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.examples import nearest_within
from kit.prose import Prose, fenced
from services.coder.coding import Written
from services.coder.evidence import Evidence
from services.coder.parsing import Rejected, parse_answer

PROMPTS: Final = Path(__file__).parent / "prompts"
MOST_EXAMPLE: Final = 40_000  # characters, about 11,000 tokens
NO_CEILING: Final = Ceiling()


class ModelCoder:
    """Asks a model for a draft, and tells it what is wrong with the form of its answer, at most `tries` times in all.

    origin: what is said of every draft; its detail gets the draft's number, and of a model's also what it
        cost and which prompts were in force.
    """

    def __init__(self, model: ChatModel, origin: Origin, tries: int = 3, ceiling: Ceiling = NO_CEILING) -> None:
        self._model = model
        self._ceiling = ceiling
        self._origin = origin
        self._tries = tries
        self._prompts = Prose(PROMPTS)
        self._evidence = Evidence(self._prompts)

    async def write(self, design: EnvDesign) -> Written:
        return await self._ask(
            "draft_0", self._prompts.fill("write_env", design=_json(design), example=self._example(design))
        )

    def _example(self, design: EnvDesign) -> str:
        worked = nearest_within(f"{design.title}. {design.summary}", _shown, MOST_EXAMPLE)
        if worked is None:
            return self._prompts.fill("no_example")
        source = fenced(worked.source, "python")
        return self._prompts.fill("example", design=_json(worked.design), source=source)

    async def repair(self, design: EnvDesign, drafts: tuple[Draft, ...]) -> Written:
        if not drafts:
            raise RequestWrong("A repair needs the drafts so far; there are none.")
        *earlier, last = drafts
        prompt = self._prompts.fill(
            "repair_env",
            design=_json(design),
            source=fenced(last.source, "python"),
            findings=self._evidence.of(last),
            history=self._evidence.history(tuple(earlier)),
        )
        return await self._ask(f"draft_{len(drafts)}", prompt)

    async def _ask(self, purpose: str, prompt: str) -> Written:
        message = Message(role=Role.USER, text=prompt)
        ask = Ask(purpose=purpose, system=self._prompts.fill("coder"), messages=(message,))
        conversation = Conversation(self._model, self._ceiling)
        complaint = ""
        for _ in range(self._tries):
            answer = await conversation.answer(ask)
            if answer.stop is Stop.REFUSED:
                raise NoValidEnvironment(f"The model would not write {purpose}: {answer.text or 'it gave no reason'}")
            parsed = Rejected("cut_off", "") if answer.stop is Stop.LENGTH else parse_answer(answer.text)
            if isinstance(parsed, str):
                return Written(source=parsed, origin=conversation.told(self._origin, purpose, self._prompts.digest))
            about = {"about": parsed.about} if self._prompts.blanks(parsed.page) else {}
            complaint = self._prompts.fill(parsed.page, **about)
            ask = ask.again(answer.text, complaint)
        raise NoValidEnvironment(
            f"{self._model.name} wrote no usable module in {self._tries} tries; of the last one was said: {complaint} "
            f"({conversation.spent})"
        )


def _shown(worked: WorkedProblem) -> str:
    return _json(worked.design) + worked.source


def _json(design: EnvDesign) -> str:
    return fenced(design.model_dump_json(indent=1, exclude_defaults=True), "json")
