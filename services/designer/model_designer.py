"""ModelDesigner: a language model fills in the design; what it says is validated and linted, never trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gymwright.errors import BudgetSpent, NoValidDesign
from kit.contracts.design import DesignAnswer, EnvDesign
from kit.contracts.records import Record
from kit.contracts.runs import DesignWritten, Origin, TextWritten
from kit.contracts.said import DesignSaid
from kit.contracts.spending import Usage
from kit.contracts.wishes import DesignWish, RevisionWish
from kit.library import WorkedProblem
from kit.llm import Ask, Ceiling, ChatModel, Conversation, Message, Role, Stop
from kit.llm.examples import nearest_within
from kit.problem_text import problem_text
from kit.prose import Prose, fenced
from services.designer.designing import Say
from services.designer.quality import Quality, quality_of
from services.designer.reading import listed, parsed

PROMPTS: Final = Path(__file__).parent / "prompts"
MOST_EXAMPLE: Final = 24_000  # characters, about 7,000 tokens
NO_CEILING: Final = Ceiling()


class ModelDesigner:
    """Asks a model, and tells it what is wrong with its design, at most `tries` times in all.

    origin: what is said of every design; its detail gets what the answer was for, and of a model's also
        what it cost and which prompts were in force.
    coverage: the share of state variables that the design's laws, invariants and expectations should pin
        down; a new design below it, or with warnings of the linter, is asked for again, once, and the better
        of the two is taken.
    """

    def __init__(
        self,
        model: ChatModel,
        origin: Origin,
        tries: int = 3,
        ceiling: Ceiling = NO_CEILING,
        coverage: float = 0.0,
    ) -> None:
        self._model = model
        self._ceiling = ceiling
        self._origin = origin
        self._tries = tries
        self._coverage = coverage
        self._prompts = Prose(PROMPTS)

    async def design(self, wish: DesignWish, say: Say) -> DesignSaid:
        text = problem_text(wish.problem)
        prompt = self._prompts.fill(
            "design_env", problem=fenced(text, "text"), example=self._example(text), dialogue=self._dialogue(wish)
        )
        conversation, ask = self._begin("design", DesignAnswer, prompt, wish.budget_usd, say)
        answer, ask = await self._valid(conversation, ask)
        if answer.design is None:
            return DesignSaid(question=answer.question, advice=answer.advice)
        return self._said(conversation, "design", await self._improved(conversation, ask, answer.design))

    async def revise(self, wish: RevisionWish, say: Say) -> DesignSaid:
        prompt = self._prompts.fill(
            "revise_design",
            problem=fenced(problem_text(wish.problem), "text"),
            design=fenced(wish.design.model_dump_json(indent=1), "json"),
            findings=listed(wish.findings),
        )
        conversation, ask = self._begin("revision", EnvDesign, prompt, wish.budget_usd, say)
        answer, _ = await self._valid(conversation, ask)
        if answer.design is None:
            raise NoValidDesign(f"{self._model.name} was asked to revise a design, and answered with none.")
        return self._said(conversation, "revision", answer.design)

    def _example(self, problem: str) -> str:
        worked = nearest_within(problem, _shown, MOST_EXAMPLE)
        if worked is None:
            return self._prompts.fill("no_example")
        return self._prompts.fill("example", problem=fenced(worked.problem, "text"), design=_shown(worked))

    def _dialogue(self, wish: DesignWish) -> str:
        said = [
            self._prompts.fill("answered", question=fenced(one.question, "text"), answer=fenced(one.answer, "text"))
            for one in wish.answered
        ]
        return "\n\n".join([*said, self._prompts.fill("insist")] if wish.insist else said)

    def _begin(
        self, purpose: str, form: type[Record], prompt: str, budget_usd: float | None, say: Say
    ) -> tuple[Conversation, Ask]:
        message = Message(role=Role.USER, text=prompt)
        ask = Ask(purpose=purpose, system=self._prompts.fill("designer"), messages=(message,), form=form)
        ceiling = self._ceiling.within(budget_usd)
        return Conversation(self._model, ceiling, purpose, lambda said: say(_on_the_way(said))), ask

    async def _valid(self, conversation: Conversation, ask: Ask) -> tuple[DesignAnswer, Ask]:
        """The first valid answer, and the conversation with it at its end."""
        wrong = ""
        for _ in range(self._tries):
            said = await conversation.answer(ask)
            if said.stop is Stop.REFUSED:
                raise NoValidDesign(f"The model would not write a design: {said.text or 'it gave no reason'}")
            answer, wrong = (None, "it was cut off") if said.stop is Stop.LENGTH else parsed(said.text)
            if answer is not None:
                return answer, ask.model_copy(
                    update={"messages": (*ask.messages, Message(role=Role.MODEL, text=said.text))}
                )
            cut = said.stop is Stop.LENGTH
            complaint = self._prompts.fill("cut_off") if cut else self._prompts.fill("again", complaint=wrong)
            ask = ask.again(said.text, complaint)
        raise NoValidDesign(
            f"{self._model.name} wrote no valid design in {self._tries} tries; the last one: {wrong} "
            f"({conversation.spent})"
        )

    async def _improved(self, conversation: Conversation, ask: Ask, design: EnvDesign) -> EnvDesign:
        """The design, or a better one where there are weaknesses and it comes; asked for once."""
        quality = quality_of(design)
        if not (told := self._weaknesses(design, quality)):
            return design
        message = Message(role=Role.USER, text=self._prompts.fill("improve", weaknesses=told))
        try:
            said = await conversation.answer(ask.model_copy(update={"messages": (*ask.messages, message)}))
        except BudgetSpent:
            return design
        answer, _ = parsed(said.text) if said.stop is Stop.END else (None, "")
        if answer is None or answer.design is None:
            return design
        return answer.design if quality_of(answer.design).better_than(quality, self._coverage) else design

    def _weaknesses(self, design: EnvDesign, quality: Quality) -> str:
        told = []
        if quality.share < self._coverage:
            loose = ", ".join(f"`{name}`" for name in quality.loose)
            told.append(
                self._prompts.fill("low_coverage", pinned=len(quality.pinned), total=len(design.state), loose=loose)
            )
        if quality.warnings:
            told.append(self._prompts.fill("warnings", warnings=listed(quality.warnings)))
        return "\n\n".join(told)

    def _said(self, conversation: Conversation, purpose: str, design: EnvDesign) -> DesignSaid:
        origin = conversation.told(self._origin, purpose, self._prompts.digest)
        return DesignSaid(design=DesignWritten(design=design, origin=origin))


def _shown(worked: WorkedProblem) -> str:
    return fenced(worked.design.model_dump_json(exclude_defaults=True), "json")


def _on_the_way(said: TextWritten | Usage) -> DesignSaid:
    return DesignSaid(text=said) if isinstance(said, TextWritten) else DesignSaid(used=said)
