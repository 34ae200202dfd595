"""How an episode starts: as the design's conditions say after every reset, or it is told with seed and values."""

from __future__ import annotations

import copy

import pytest

from kit.contracts.design import EnvDesign
from tests.inside.checked import checked, told
from tests.inside.tank import DESIGN, SOURCE

LEVEL = "self.level = float(self.np_random.uniform(40, 60))"
STARTS = [
    {"name": "level", "formula": "0.4 * params.capacity <= state.level <= 0.6 * params.capacity"},
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
    said["dynamics"]["starts"] = [{"name": "full", "formula": "state.level == 0.5 * params.capacity"}]
    exact, near, off = (
        checked(SOURCE.replace(LEVEL, f"self.level = {level}"), EnvDesign.model_validate(said))
        for level in ("50.0", "50.0 + 1e-9", "50.1")
    )
    assert told(exact) == told(near) == []
    assert "left side is 50.1, the right side 50" in told(off)[0]
