"""What a training is told before it starts: algorithm, hyperparameters, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gymwright.errors import RequestWrong
from kit.contracts.design import Hyperparameter
from kit.contracts.outcomes import NamedNumber
from kit.contracts.runs import RunOptions
from services.trainer.inside.algorithms import algorithm_for
from services.trainer.inside.hyperparameters import DEFAULTS, RANGES, HyperparameterRefused, plan
from services.trainer.training import TrainSettings, refuse_impossible
from tests.corridors import corridor

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


def advising(family: str, **values: float):
    """A corridor whose design advises these hyperparameters."""
    design = corridor(family)
    advice = tuple(Hyperparameter(name=name, value=value) for name, value in values.items())
    return design.model_copy(update={"training": design.training.model_copy(update={"hyperparameters": advice})})


def asking(**values: float) -> tuple[Hyperparameter, ...]:
    return tuple(Hyperparameter(name=name, value=value) for name, value in values.items())


@pytest.mark.parametrize(
    ("family", "algorithm"),
    [
        ("DISCRETE", "PPO"),
        ("MULTI_DISCRETE", "PPO"),
        ("MULTI_BINARY", "PPO"),
        ("BOX", "SAC"),
        ("MASKED", "MaskablePPO"),
    ],
)
def test_the_kind_of_action_decides_the_algorithm_and_says_why(family, algorithm):
    chosen = algorithm_for(corridor(family).action)
    assert chosen.name == algorithm
    assert chosen.why


@pytest.mark.parametrize(
    ("advised", "asked", "expected"),
    [
        ({}, {}, DEFAULTS["PPO"]["learning_rate"]),
        ({"learning_rate": 0.01}, {}, 0.01),
        ({"learning_rate": 0.01}, {"learning_rate": 0.02}, 0.02),
    ],
)
def test_the_user_comes_before_the_design_and_the_design_before_the_default(advised, asked, expected):
    decided = plan(advising("DISCRETE", **advised), hyperparameters=asking(**asked))
    assert decided.values["learning_rate"] == expected


def test_the_users_number_of_environments_comes_first():
    decided = plan(advising("DISCRETE", n_envs=8), n_envs=3, hyperparameters=asking(n_envs=4))
    assert decided.n_envs == 3


@pytest.mark.parametrize(
    ("total", "n_envs", "n_steps"),
    [
        (300_000, 16, 256),  # a rollout of 4096 over all environments
        (300_000, 8, 512),
        (20_000, 10, 100),  # a short training still gets about twenty updates
        (100, 256, 2),
    ],
)
def test_a_rollout_keeps_its_size_however_many_environments_there_are(total, n_envs, n_steps):
    assert plan(advising("DISCRETE"), total_timesteps=total, n_envs=n_envs).whole("n_steps") == n_steps


@pytest.mark.parametrize("algorithm", list(RANGES))
def test_every_default_is_a_name_and_a_value_that_can_be_asked_for(algorithm):
    for name, value in DEFAULTS[algorithm].items():
        assert RANGES[algorithm][name].low <= value <= RANGES[algorithm][name].high


@pytest.mark.parametrize("algorithm", list(RANGES))
def test_the_page_on_training_has_every_hyperparameter_with_its_default(algorithm):
    rows = [
        line.split("|")[1:4]
        for line in PAGE.read_text().splitlines()
        if line.startswith("| `") and line.count("|") == 4
    ]
    told = {name.split("`")[1]: (sac if algorithm == "SAC" else ppo).strip() for name, ppo, sac in rows}
    for name in RANGES[algorithm]:
        if name in DEFAULTS[algorithm]:
            assert float(told[name]) == DEFAULTS[algorithm][name]
        else:
            assert told[name]  # it follows from the rest


@pytest.mark.parametrize(
    ("family", "name", "value", "complaint"),
    [
        ("DISCRETE", "learnig_rate", 0.1, "PPO has no hyperparameter learnig_rate"),
        ("DISCRETE", "tau", 0.1, "PPO has no hyperparameter tau"),
        ("BOX", "n_steps", 64, "SAC has no hyperparameter n_steps"),
        ("DISCRETE", "learning_rate", 0.0, "learning_rate must be a number from 1e-07 to 1"),
        ("DISCRETE", "batch_size", 64.5, "batch_size must be a whole number"),
        ("BOX", "n_envs", 257, "n_envs must be a whole number from 1 to 256"),
    ],
)
def test_what_cannot_be_is_refused_by_name_before_anything_runs(family, name, value, complaint):
    with pytest.raises(HyperparameterRefused, match=complaint):
        plan(corridor(family), hyperparameters=asking(**{name: value}))
    with pytest.raises(RequestWrong, match=complaint):
        refuse_impossible(corridor(family), TrainSettings(hyperparameters=asking(**{name: value})))


def test_a_designs_impossible_advice_is_not_the_users_fault():
    refuse_impossible(advising("DISCRETE", momentum=0.9), TrainSettings())


def test_how_many_episodes_an_evaluation_plays_is_said_among_the_hyperparameters_and_is_none():
    options = RunOptions(
        hyperparameters=(NamedNumber(name="eval_episodes", value=40), NamedNumber(name="learning_rate", value=0.01))
    )
    settings = TrainSettings.of(options)
    assert settings.eval_episodes == 40
    assert settings.hyperparameters == asking(learning_rate=0.01)


@pytest.mark.parametrize("value", [-1, 2.5, 1001])
def test_a_number_of_episodes_that_cannot_be_is_refused(value):
    with pytest.raises(RequestWrong, match="eval_episodes must be a whole number from 1 to 1000, or 0"):
        TrainSettings.of(RunOptions(hyperparameters=(NamedNumber(name="eval_episodes", value=value),)))
