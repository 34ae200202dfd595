"""The prepared drafts of `make demo-repair` have the faults their README names, and the check is honest with each."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport
from tests.inside.checked import checked as check

ROOT = Path(__file__).parents[2]
WARD = ROOT / "kit" / "library" / "problems" / "hospital_shifts"


def draft(number: int) -> str:
    prepared = tomllib.loads((ROOT / "examples" / "repair" / f"draft_{number}.toml").read_text())
    source = (WARD / "environment.py").read_text()
    for edit in prepared.get("edits", []):
        assert source.count(edit["find"]) == 1
        source = source.replace(edit["find"], edit["replace"])
    return source


def checked(source: str) -> CheckReport:
    return check(source, EnvDesign.model_validate_json((WARD / "design.json").read_text()))


def test_the_first_draft_crashes_in_reset() -> None:
    errors = checked(draft(0)).errors
    assert errors
    assert "reset" in errors[0].message
    assert "AttributeError" in errors[0].message + errors[0].traceback


def test_the_second_draft_passes_its_check_and_crashes_in_a_longer_life() -> None:
    source = draft(1)
    assert checked(source).passed
    names: dict[str, object] = {"__name__": "prepared"}
    exec(compile(source, "environment.py", "exec"), names)  # ours, so it may run here
    env = names["Environment"]()  # type: ignore[operator]
    env.reset(seed=0)
    with pytest.raises(IndexError):
        for _ in range(2_001):
            if env.step(env.action_space.sample())[3]:
                env.reset()


def test_the_third_draft_is_the_worked_environment_and_passes() -> None:
    assert draft(2) == (WARD / "environment.py").read_text()
    assert checked(draft(2)).passed
