"""The published runs: each is of a problem as the library ships it, and shows every figure that its report names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kit.contracts.design import EnvDesign
from kit.library import worked_problems

EXAMPLES = Path(__file__).parents[2] / "examples"
PROBLEMS = worked_problems()


@pytest.mark.parametrize("problem", PROBLEMS, ids=[problem.name for problem in PROBLEMS])
def test_a_worked_problem_has_a_published_run_of_what_the_library_ships(problem) -> None:
    folder = EXAMPLES / problem.name
    assert EnvDesign.model_validate_json((folder / "design.json").read_text()).digest == problem.design.digest
    assert (folder / "environment.py").read_text() == problem.source


@pytest.mark.parametrize("report", sorted(EXAMPLES.glob("*/report.md")), ids=lambda report: report.parent.name)
def test_every_figure_that_a_published_report_shows_is_there(report: Path) -> None:
    shown = re.findall(r"!\[[^]]*\]\(([^)]+)\)", report.read_text())
    assert shown
    assert [name for name in shown if not (report.parent / name).is_file()] == []
