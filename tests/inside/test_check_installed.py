"""Gymnasium's own environments, checked as installed ones, get no error and no warning that they don't deserve."""

from __future__ import annotations

import pytest

from services.executor.installed import source_of
from tests.inside.checked import checked

# FrozenLake and its kin refuse zero-dimensional arrays; that is for their caller, so only noted.
GOOD = ["CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1", "FrozenLake-v1", "CliffWalking-v1"]


def _told(name: str) -> set[str]:
    return {finding.check for finding in checked(source_of(name)).findings if finding.severity != "NOTE"}


@pytest.mark.parametrize("name", [*GOOD, "Taxi"])  # without a number: the newest
def test_a_sound_environment_of_gymnasiums_gets_no_error_or_warning(name):
    assert _told(name) == set()


def test_pendulum_is_told_of_its_action_range_alone():
    assert _told("Pendulum-v1") == {"space.action_scale"}


def test_blackjack_is_told_of_its_tuple_alone():
    assert _told("Blackjack-v1") == {"space.observation"}


def test_what_is_no_id_is_refused():
    with pytest.raises(ValueError, match="not the id"):
        source_of("x' + exit() + '")
