"""How an episode starts: as the design's conditions say after every reset, or it is told with seed and values."""

from __future__ import annotations

import copy

import pytest

from kit.contracts.design import EnvDesign
from tests.inside.checked import checked, told
from tests.inside.tank import DESIGN, SOURCE

LEVEL = "self.level = float(self.np_random.uniform(40, 60))"
STARTS = [
    {"name": "level", "formula": "40 <= state.level <= 60"},
    {"name": "dry", "formula": "state.inflow == 0"},
    {"name": "served", "formula": "state.served == 0 * params.shares"},
]


def design() -> EnvDesign:
    said = copy.deepcopy(DESIGN)
    said["dynamics"]["starts"] = STARTS
    return EnvDesign.model_validate(said)


def test_a_start_as_the_design_says_is_no_fault():
    assert told(checked(SOURCE, design())) == []


@pytest.mark.parametrize(
    ("start", "named"),
    [
        ("self.level = float(self.np_random.uniform(40, 70))", "start level"),
        ("self.level = getattr(self, 'level', 39.0)", "start level"),
    ],
)
def test_a_start_outside_the_designs_conditions_is_told(start, named):
    report = checked(SOURCE.replace(LEVEL, start), design())
    errors = [finding for finding in report.errors if finding.check == "start.condition"]
    assert [named in finding.message for finding in errors] == [True], told(report)
    assert "seed" in errors[0].evidence and "state.level" in errors[0].evidence


def test_an_equation_holds_within_tolerance_only():
    said = copy.deepcopy(DESIGN)
    said["dynamics"]["starts"] = [{"name": "full", "formula": "state.level == 50"}]
    exact, near, off = (
        checked(SOURCE.replace(LEVEL, f"self.level = {level}"), EnvDesign.model_validate(said))
        for level in ("50.0", "50.0 + 1e-9", "50.1")
    )
    assert told(exact) == told(near) == []
    assert "left side is 50.1, the right side 50" in told(off)[0]


DRAWN = {"name": "level", "formula": "state.level", "low": "40", "high": "60", "mean": "50"}


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (LEVEL, None),
        ("self.level = float(self.np_random.uniform(40, 50))", "never starts near its high end"),
        ("self.level = float(self.np_random.uniform(41.5, 60))", "never starts near its low end"),
        ("self.level = float(self.np_random.uniform(40, 70))", "where the design draws it from 40. to 60."),
        ("self.level = 40 + 20 * float(self.np_random.uniform() ** 3)", "on average, the design expects 50"),
    ],
)
def test_a_drawn_start_has_the_range_and_the_mean_of_the_design(start, said):
    design = copy.deepcopy(DESIGN)
    design["dynamics"]["starts"] = [DRAWN]
    report = checked(SOURCE.replace(LEVEL, start), EnvDesign.model_validate(design))
    messages = [f.message for f in report.errors if f.check in ("start.spread", "start.condition")]
    assert len(messages) == (said is not None), told(report)
    assert said is None or said in messages[0]


def test_each_part_of_a_drawn_vector_has_a_range_of_its_own():
    design = copy.deepcopy(DESIGN)
    parts = {"name": "both", "formula": "[state.level, state.day]", "low": "[40, 0]", "high": "[60, 6]"}
    design["dynamics"]["starts"] = [parts]
    sound = checked(SOURCE, EnvDesign.model_validate(design))
    day = "self.day = int(self.np_random.integers(0, 7))"
    assert day in SOURCE
    early = checked(SOURCE.replace(day, day.replace("7", "6")), EnvDesign.model_validate(design))
    assert told(sound) == []
    assert [finding.check for finding in early.errors] == ["start.spread"], told(early)


def test_a_mean_that_rare_starts_make_is_no_fault_where_none_of_them_was_seen():
    design = copy.deepcopy(DESIGN)
    design["dynamics"]["starts"] = [{"name": "level", "formula": "state.level", "mean": "40 + 20 * 0.0001"}]
    rarely = "self.level = 40.0 + 20.0 * float(self.np_random.uniform() < 0.0001)"
    assert told(checked(SOURCE.replace(LEVEL, rarely), EnvDesign.model_validate(design))) == []


@pytest.mark.parametrize(
    "start",
    [
        {"name": "half", "formula": "state.level == 0.5 * params.capacity"},
        {"name": "half", "formula": "state.level", "low": "0.5 * params.capacity", "high": "0.5 * params.capacity"},
    ],
)
def test_a_start_follows_the_parameters_that_it_names(start):
    design = copy.deepcopy(DESIGN)
    design["dynamics"]["starts"] = [start]
    half, fifty = (
        checked(SOURCE.replace(LEVEL, f"self.level = {level}"), EnvDesign.model_validate(design))
        for level in ("0.5 * self.params['capacity']", "50.0")
    )
    assert told(half) == []
    assert [finding.check for finding in fifty.errors] == ["parameters.options"], told(fifty)
    assert "half does not hold for the changed capacity" in fifty.errors[0].message
