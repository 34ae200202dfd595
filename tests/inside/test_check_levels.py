"""A curriculum's levels: what they set is what the environment uses, and at each of them it is what the design says,
or it is told before anything is trained."""

from __future__ import annotations

import copy

import pytest

from kit.contracts.design import EnvDesign
from tests.inside.checked import checked, told
from tests.inside.tank import DESIGN, SOURCE

USED = 'np.array(p["shares"], dtype=np.float64)'


def design() -> EnvDesign:
    """The tank, at first with other shares; these have no range, so nothing else would change them."""
    said = copy.deepcopy(DESIGN)
    level = {"name": "even", "overrides": [{"name": "shares", "values": [0.4, 0.4]}], "opens_next_at": 0.5}
    return EnvDesign.model_validate({**said, "curriculum": [level]})


@pytest.mark.parametrize(
    ("use", "errors"),
    [
        (USED, set()),
        ("np.array((0.5, 0.25))", {"parameters.options"}),
        (
            'np.array(p["shares"] if p["shares"] is not self._defaults["shares"] else (0.5, 0.25))',
            {"parameters.arguments"},
        ),
    ],
)
def test_an_environment_uses_what_a_level_sets(use, errors):
    report = checked(SOURCE.replace(USED, use), design())
    assert {finding.check for finding in report.errors} == errors, told(report)


FLOODED = 'self.level >= p["capacity"]'
# Right for the design's own capacity, which is the first level's, too.
TOO_SOON = 'self.level >= (p["capacity"] if p["capacity"] == 100.0 else 0.9 * p["capacity"])'


def in_two_levels() -> EnvDesign:
    """The tank, and no parameter of it has a range, so that nothing but levels would change one."""
    said = copy.deepcopy(DESIGN)
    for parameter in said["parameters"]:
        for bound in ("low", "high"):
            parameter.pop(bound, None)
    even = {"name": "even", "overrides": [{"name": "shares", "values": [0.4, 0.4]}], "opens_next_at": 0.5}
    small = {"name": "small", "overrides": [{"name": "capacity", "values": [70.0]}], "opens_next_at": 0.5}
    return EnvDesign.model_validate({**said, "curriculum": [even, small]})


@pytest.mark.parametrize(("flooded", "errors"), [(FLOODED, set()), (TOO_SOON, {"episode.ending"})])
def test_the_formulas_hold_at_every_level_and_not_only_at_the_first(flooded, errors):
    report = checked(SOURCE.replace(FLOODED, flooded), in_two_levels())
    assert {finding.check for finding in report.errors} == errors, told(report)
    assert all("at the level small of the curriculum" in finding.message for finding in report.errors)


def test_what_a_level_makes_the_environment_raise_is_told_with_the_level():
    raising = SOURCE.replace("self.t += 1\n", "self.t += 1\n        assert p['capacity'] >= 100\n")
    (error,) = checked(raising, in_two_levels()).errors
    assert error.message.startswith("at the level small of the curriculum: ")
