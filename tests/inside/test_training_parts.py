"""Parts of the two training boxes that need their libraries: constant policies, pruning, and the search's sampler."""

from __future__ import annotations

import numpy as np
import pytest

from kit.contracts.outcomes import Evaluation, NamedNumber, TuningTrial
from kit.inside.candidate import Seen
from services.trainer.inside import search
from services.trainer.inside.constants import MOST_CONSTANTS, constants
from services.trainer.inside.payloads import STUDY_FILE, Bar, Knob, SearchPayload
from services.trainer.inside.pruning import falls_short
from tests.corridors import corridor


def seen(rows: int = 1, masks: np.ndarray | None = None) -> Seen:
    return Seen(np.zeros((rows, 1)), masks, np.arange(rows), 0)


@pytest.mark.parametrize(
    ("family", "actions"),
    [
        ("DISCRETE", [[0], [1], [2]]),
        ("MULTI_DISCRETE", [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]),
        ("MULTI_BINARY", [[0, 0], [0, 1], [1, 0], [1, 1]]),
    ],
)
def test_every_combination_of_few_choices_is_a_constant(family, actions):
    policies = constants(corridor(family))
    assert [policy(seen())[0].tolist() for policy in policies.values()] == actions


def test_constant_numbers_go_from_bound_to_bound_with_the_middle_among_them():
    found = [float(policy(seen())[0, 0]) for policy in constants(corridor("BOX")).values()]
    assert (found[0], found[-1]) == (-2.0, 1.0)
    assert -0.5 in found
    assert len(found) <= MOST_CONSTANTS


def test_a_constant_is_named_by_its_labels():
    assert list(constants(corridor("DISCRETE"))) == ["always move stay", "always move right", "always move left"]


def test_where_a_constant_is_illegal_the_first_legal_choice_is_taken():
    left = list(constants(corridor("MASKED")).values())[2]
    masks = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    assert left(seen(2, masks))[:, 0].tolist() == [2, 1]


def curve(*cells: float) -> list[Evaluation]:
    return [
        Evaluation(
            timesteps=100 * n,
            mean_reward=0,
            std_reward=0,
            episodes=1,
            metrics=(NamedNumber(name="steps_taken", value=one),),
        )
        for n, one in enumerate(cells, 1)
    ]


@pytest.mark.parametrize(
    ("steps_taken", "short"),
    [
        ((20.0, 20.0), False),  # the first bar is at 300
        ((20.0, 20.0, 20.0), True),
        ((5.0, 20.0, 20.0), False),  # it has been there once
        ((20.0, 20.0, 10.0), False),
    ],
)
def test_a_trial_falls_short_where_it_never_reached_the_latest_bar(steps_taken, short):
    """steps_taken is better where it is lower."""
    bars = (Bar(timesteps=300, primary=10.0),)
    assert falls_short(bars, corridor("DISCRETE").metrics[0], curve(*steps_taken)) is short


def asked(trials: tuple[TuningTrial, ...], ask: int = 1, running: tuple = ()) -> SearchPayload:
    knobs = (
        Knob(name="learning_rate", low=1e-4, high=1e-2, log=True),
        Knob(name="n_epochs", low=3, high=20, whole=True),
    )
    return SearchPayload(knobs=knobs, maximise=True, trials=trials, running=running, ask=ask, seed=3)


def told(number: int, rate: float, epochs: int, value: float | None, pruned: bool = False) -> TuningTrial:
    values = (NamedNumber(name="learning_rate", value=rate), NamedNumber(name="n_epochs", value=epochs))
    return TuningTrial(number=number, hyperparameters=values, value=value, pruned=pruned)


@pytest.fixture
def said(tmp_path):
    """What the search answers, each time with a folder of its own to leave the study in."""

    def run(payload: SearchPayload) -> dict:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        claim = search.answer(payload, folder).model_dump(mode="json")
        assert (folder / STUDY_FILE).stat().st_size > 0
        return claim

    return run


def test_suggestions_lie_within_the_knobs_and_are_the_same_again(said):
    trials = tuple(told(n, 10 ** -(2 + n / 10), 3 + n, float(n)) for n in range(6))
    first, again = said(asked(trials)), said(asked(trials))
    assert first == again
    values = {one["name"]: one["value"] for one in first["suggested"][0]}
    assert 1e-4 <= values["learning_rate"] <= 1e-2
    assert values["n_epochs"] in range(3, 21)


def test_what_made_the_difference_is_what_is_important(said):
    """The value is the number of epochs, whatever the learning rate."""
    trials = tuple(told(n, 10 ** -(2 + (7 * n % 20) / 10), 3 + n % 18, float(3 + n % 18)) for n in range(30))
    important = {one["name"]: one["value"] for one in said(asked(trials, ask=0))["importances"]}
    assert important["n_epochs"] > important["learning_rate"]


def test_pruned_failed_and_running_trials_can_be_told(said):
    trials = (told(0, 1e-3, 10, 1.0), told(1, 1e-3, 5, None, pruned=True), told(2, 1e-2, 5, None))
    running = ((NamedNumber(name="learning_rate", value=2e-3), NamedNumber(name="n_epochs", value=4)),)
    found = said(asked(trials, running=running))
    assert len(found["suggested"]) == 1
    assert found["importances"] == []  # one complete trial tells nothing
