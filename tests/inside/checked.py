"""Runs the judge on a source, in this process, as the runner in a box would."""

from __future__ import annotations

import json

from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport, Finding
from services.executor.inside import check


def checked(source: str, design: EnvDesign | None = None, seed: int = 0, budget_s: float = 60.0) -> CheckReport:
    """The report; every object that the judge says must be strict JSON."""
    said: list[dict[str, object]] = []

    def say(kind: str, /, **fields: object) -> None:
        said.append(json.loads(json.dumps({**fields, "kind": kind}, allow_nan=False)))

    body = None if design is None else design.model_dump(mode="json")
    check.main({"source": source, "design": body, "class_name": None, "seed": seed, "budget_s": budget_s}, say)
    assert said[-1]["kind"] == "result"
    return CheckReport.model_validate(said[-1]["report"])


def told(report: CheckReport) -> list[str]:
    """Errors and warnings, as one readable line each."""
    return [line(finding) for finding in report.findings if finding.severity != "NOTE"]


def line(finding: Finding) -> str:
    return f"{finding.severity} {finding.check} {finding.blame}: {finding.message} ({finding.evidence})"
