"""Observation noise: the design's spread, anew every step, or it is told."""

from __future__ import annotations

import copy

import pytest

from kit.contracts.design import EnvDesign
from tests.inside.checked import checked, told
from tests.inside.tank import DESIGN, SOURCE

TERMS = 'terms = [self.level / self.params["capacity"], '


def noisy(noise: str) -> str:
    """The tank, whose level is seen with this added to it."""
    return SOURCE.replace(TERMS, f'terms = [self.level / self.params["capacity"] + {noise}, ')


def design() -> EnvDesign:
    said = copy.deepcopy(DESIGN)
    said["observation"][0]["noise_std"] = 0.02
    return EnvDesign.model_validate(said)


def test_the_designs_own_noise_is_no_fault():
    assert told(checked(noisy("self.np_random.normal(0.0, 0.02)"), design())) == []


@pytest.mark.parametrize(
    ("noise", "says"),
    [
        ("0.0", "has no noise, the design says 0.02"),
        ("self.np_random.normal(0.0, 0.04)", "noise of spread 0.0"),
        ("self.np_random.normal(0.0, 0.01)", "noise of spread 0.0"),
        ("self.np_random.normal(0.01, 0.02)", "noise of mean 0.0"),
        ("self.np_random.normal(0.0, 0.02) - 0.3", "further off than noise of 0.02 explains"),
    ],
)
def test_noise_of_another_spread_or_mean_is_told(noise, says):
    report = checked(noisy(noise), design())
    assert {finding.check for finding in report.errors} == {"observation.noise"}, told(report)
    assert says in report.errors[0].message
