"""ModelCoder: a language model writes and repairs the environment; its answers are parsed, not trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gymwright.errors import NoValidEnvironment, RequestWrong
from kit.contracts.design import EnvDesign
from kit.contracts.runs import CodeWritten, Origin, TextWritten
from kit.contracts.said import CodeSaid
from kit.contracts.spending import Usage
from kit.contracts.wishes import CodeWish, RepairWish
from kit.library import WorkedProblem
from kit.llm import Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.examples import nearest_within
from kit.prose import Prose, fenced
from services.coder.coding import Say
from services.coder.evidence import Evidence
from services.coder.parsing import Module, Rejected, parse_answer

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

    async def write(self, wish: CodeWish, say: Say) -> CodeSaid:
        example = self._example(wish.design)
        prompt = self._prompts.fill("write_env", design=_json(wish.design), example=example)
        return await self._ask("draft_0", prompt, self._conversation("code", wish.budget_usd, say))

    def _example(self, design: EnvDesign) -> str:
        worked = nearest_within(f"{design.title}. {design.summary}", _shown, MOST_EXAMPLE)
        if worked is None:
            return self._prompts.fill("no_example")
        written = _code(worked.source, worked.twin)
        return self._prompts.fill("example", design=_json(worked.design), source=written)

    async def repair(self, wish: RepairWish, say: Say) -> CodeSaid:
        if not wish.drafts:
            raise RequestWrong("A repair needs the drafts so far; there are none.")
        *earlier, last = wish.drafts
        prompt = self._prompts.fill(
            "repair_env",
            design=_json(wish.design),
            source=_code(last.source, last.twin),
            findings=self._evidence.of(last),
            history=self._evidence.history(tuple(earlier)),
        )
        conversation = self._conversation("repair", wish.budget_usd, say)
        return await self._ask(f"draft_{len(wish.drafts)}", prompt, conversation)

    def _conversation(self, purpose: str, budget_usd: float | None, say: Say) -> Conversation:
        ceiling = self._ceiling.within(budget_usd)
        return Conversation(self._model, ceiling, purpose, lambda said: say(_on_the_way(said)))

    async def _ask(self, purpose: str, prompt: str, conversation: Conversation) -> CodeSaid:
        message = Message(role=Role.USER, text=prompt)
        ask = Ask(purpose=purpose, system=self._prompts.fill("coder"), messages=(message,))
        complaint = ""
        for _ in range(self._tries):
            answer = await conversation.answer(ask)
            if answer.stop is Stop.REFUSED:
                raise NoValidEnvironment(f"The model would not write {purpose}: {answer.text or 'it gave no reason'}")
            parsed = Rejected("cut_off", "") if answer.stop is Stop.LENGTH else parse_answer(answer.text)
            if isinstance(parsed, Module):
                origin = conversation.told(self._origin, purpose, self._prompts.digest)
                return CodeSaid(code=CodeWritten(source=parsed.source, twin=parsed.twin, origin=origin))
            about = {"about": parsed.about} if self._prompts.blanks(parsed.page) else {}
            complaint = self._prompts.fill(parsed.page, **about)
            ask = ask.again(answer.text, complaint)
        raise NoValidEnvironment(
            f"{self._model.name} wrote no usable module in {self._tries} tries; of the last one was said: {complaint} "
            f"({conversation.spent})"
        )


def _on_the_way(said: TextWritten | Usage) -> CodeSaid:
    return CodeSaid(text=said) if isinstance(said, TextWritten) else CodeSaid(used=said)


def _shown(worked: WorkedProblem) -> str:
    return _json(worked.design) + worked.source + worked.twin


def _code(source: str, twin: str) -> str:
    """As an answer has them."""
    return "\n\n".join(fenced(one, "python") for one in (source, twin) if one)


def _json(design: EnvDesign) -> str:
    return fenced(design.model_dump_json(indent=1, exclude_defaults=True), "json")
