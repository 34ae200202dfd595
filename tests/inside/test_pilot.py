"""The pilot: how many validation seeds an evaluation plays follows from the interval wanted."""

from __future__ import annotations

import numpy as np
import pytest

from kit.contracts.formulas import compile_design
from services.trainer.inside.candidate import load
from services.trainer.inside.payloads import TrainPayload
from services.trainer.inside.pilot import LEAST, MOST, affordable, evaluations, size, sized
from services.trainer.inside.rows import Layout
from tests.corridors import FAMILIES, corridor, source_for

PLENTY = 10_000_000
NOTHING = [np.nan] * 20


def spread(mean: float, deviation: float) -> list[float]:
    """Twenty values of this mean and, as a sample, this standard deviation."""
    return list(mean + deviation * np.sqrt(19 / 20) * np.tile([-1.0, 1.0], 10))


@pytest.mark.parametrize(
    ("rule", "chance", "episodes"),
    [
        (spread(10, 1.0), spread(0, 5.0), 20),  # (1.96 x 1 / 0.5)^2 = 15.4, and 20 are the fewest
        (spread(10, 2.0), spread(0, 5.0), 62),  # (1.96 x 2 / 0.5)^2 = 61.5
        (spread(-10, 2.0), spread(0, 5.0), 62),  # the distance counts, whichever side is better
        (spread(10, 9.0), spread(0, 5.0), MOST),
        (spread(0, 1.0), spread(0, 1.0), MOST),  # nothing lies between them, so nothing would be sure enough
        (spread(3, 0.0), spread(3, 0.0), LEAST),  # nothing depends on chance
        (NOTHING, spread(0, 5.0), LEAST),
    ],
)
def test_a_means_half_width_is_a_twentieth_of_what_lies_between_random_actions_and_the_rule(rule, chance, episodes):
    assert size(np.array(rule), np.array(chance), MOST).episodes == episodes


def test_what_is_not_affordable_is_not_played_and_the_reason_says_so():
    found = size(np.array(spread(10, 2.0)), np.array(spread(0, 5.0)), 30)
    assert found.episodes == 30
    assert "5 % was wanted; evaluating would take too long" in found.why


@pytest.mark.parametrize("total", [1_000, 20_000, 50_000, 200_000, 500_000, PLENTY])
@pytest.mark.parametrize("steps", [10, 60, 365])
def test_more_episodes_never_cost_more_than_a_quarter_of_the_steps_or_any_evaluation(total, steps):
    most = affordable(total, steps)
    often = evaluations(total, most * steps)
    assert LEAST <= most <= MOST
    assert often == evaluations(total, LEAST * steps)
    assert most == LEAST or often * most * steps <= 0.25 * total


@pytest.mark.parametrize("family", FAMILIES)
def test_the_pilot_plays_rules_and_chance_in_every_kind_of_action_and_says_the_same_again(family):
    design, make = corridor(family), load(source_for(family), corridor(family))
    asked = TrainPayload(source=source_for(family), design=design)
    first, again = (sized(asked, PLENTY, make, None, compile_design(design), Layout(design), []) for _ in range(2))
    assert first == again
    assert "of what lies between random actions and the best rule" in first.why


@pytest.mark.parametrize(
    ("asked", "total", "episodes", "why"),
    [(7, PLENTY, 7, "as asked"), (0, 2_000, LEAST, "the fewest")],  # a short training affords no more
)
def test_nothing_is_played_where_the_number_is_said_or_cannot_be_higher(asked, total, episodes, why):
    design = corridor("DISCRETE")
    payload = TrainPayload(source="", design=design, eval_episodes=asked)
    watched = []
    make = load(source_for("DISCRETE"), design)
    found = sized(payload, total, make, None, compile_design(design), Layout(design), watched)
    assert (found.episodes, watched) == (episodes, [])
    assert why in found.why
