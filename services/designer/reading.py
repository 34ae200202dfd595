"""Reading: what a model answered, as an answer of the designer, or what is wrong with it in words."""

from __future__ import annotations

import json
from typing import Final

from pydantic import ValidationError

from kit.contracts.design import AnswerKind, DesignAnswer, EnvDesign
from kit.contracts.findings import Finding, Severity
from kit.contracts.linting import lint
from kit.contracts.wire import complaints
from kit.llm.extracting import json_object

MOST_COMPLAINTS: Final = 12


def parsed(text: str) -> tuple[DesignAnswer | None, str]:
    """The answer, or what is wrong with it: its form, or what the linter finds. A bare design is taken for one."""
    try:
        answer = _answer_in(json_object(text))
    except ValidationError as problem:
        return None, complaints(problem)
    errors = [f for f in lint(answer.design) if f.severity is Severity.ERROR] if answer.design is not None else []
    return (None, listed(tuple(errors))) if errors else (answer, "")


def listed(findings: tuple[Finding, ...]) -> str:
    """The first findings as a Markdown list."""
    return "\n".join(
        f"- {' '.join(part for part in (finding.message, finding.evidence, finding.remedy) if part)}"
        for finding in findings[:MOST_COMPLAINTS]
    )


def _answer_in(text: str) -> DesignAnswer:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict) and "kind" in found:
        return DesignAnswer.model_validate_json(text)
    return DesignAnswer(kind=AnswerKind.DESIGN, design=EnvDesign.model_validate_json(text))
