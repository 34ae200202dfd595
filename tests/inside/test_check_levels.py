"""A curriculum's levels: what they set is what the environment uses, or it is told before anything is trained."""

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
