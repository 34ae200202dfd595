"""What is right passes without an error or a warning, and the same seed finds the same."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kit.contracts.design import EnvDesign
from services.executor.inside.check import out_of_time
from services.executor.inside.subject import Subject
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


@pytest.mark.parametrize(
    ("budget_s", "step_s", "over"),
    [
        (-1.0, 0.0001, False),  # late, but it has computed next to nothing: the machine is busy
        (-1.0, 0.02, True),  # late, and its steps wait
        (-100.0, 0.0001, True),  # there never was any time
        (60.0, 0.02, False),
    ],
)
def test_time_is_over_only_through_the_candidates_own_slowness(budget_s, step_s, over):
    now = time.monotonic()
    subject = Subject(SOURCE, step_s=step_s, began=now - 50.0)
    assert out_of_time(subject, ends=now + budget_s) is over
