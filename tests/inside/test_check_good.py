"""What is right passes without an error or a warning, and the same seed finds the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.contracts.design import EnvDesign
from tests.inside.checked import checked, told
from tests.inside.foreign import GOOD
from tests.inside.tank import SOURCE, design

PROBLEMS = Path(__file__).parents[2] / "kit" / "library" / "problems"


def test_the_tank_passes_and_every_group_runs():
    report = checked(SOURCE, design())
    assert (told(report), report.skipped) == ([], ())
    assert report.steps > 500


@pytest.mark.parametrize("problem", sorted(path.parent.name for path in PROBLEMS.glob("*/environment.py")))
def test_a_worked_problem_passes(problem):
    folder = PROBLEMS / problem
    worked = EnvDesign.model_validate_json((folder / "design.json").read_text())
    report = checked((folder / "environment.py").read_text(), worked)
    assert (told(report), report.skipped) == ([], ())


@pytest.mark.parametrize("name", GOOD)
def test_a_good_environment_without_a_design_passes(name):
    report = checked(GOOD[name])
    assert told(report) == []
    assert all("design" in skipped.why for skipped in report.skipped)


def test_the_same_seed_gives_the_same_findings():
    source = SOURCE.replace("self.level < 5.0", "self.level < 4.0").replace("sales = p", "sales = 1.01 * p")
    one, other = (checked(source, design(), seed=3) for _ in range(2))
    assert one.findings == other.findings
    assert len(one.errors) >= 2


def test_later_groups_are_skipped_where_what_they_rest_on_failed():
    report = checked(SOURCE.replace("return self._observation(), reward,", "return reward,"), design())
    assert "contract" in report.ran
    assert {"bounds", "determinism", "peers"} <= {skipped.group for skipped in report.skipped}


def test_no_time_means_groups_skipped_and_said_so():
    report = checked(SOURCE, design(), budget_s=0.0)
    assert report.ran == ()
    assert all("time" in skipped.why or "rests" in skipped.why for skipped in report.skipped)
