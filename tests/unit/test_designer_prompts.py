"""What the designer is told keeps up with the contracts: the language's functions, the action kinds, the answers."""

from __future__ import annotations

import pytest

from kit.contracts.design import ActionKind, AnswerKind
from kit.contracts.formulas.functions import ALL_NAMES
from kit.contracts.formulas.grammar import NAMESPACES
from kit.prose import Prose
from services.designer.model_designer import PROMPTS

PAGES = Prose(PROMPTS)


@pytest.mark.parametrize("name", sorted(ALL_NAMES | NAMESPACES))
def test_every_name_of_the_formula_language_is_told(name: str) -> None:
    assert name in PAGES.fill("designer")


@pytest.mark.parametrize("kind", ActionKind)
def test_every_kind_of_action_is_told(kind: ActionKind) -> None:
    assert kind in PAGES.fill("designer")


@pytest.mark.parametrize("kind", AnswerKind)
def test_every_kind_of_answer_is_told(kind: AnswerKind) -> None:
    assert f'"kind": "{kind}"' in PAGES.fill("design_env", example="", problem="", dialogue="")
