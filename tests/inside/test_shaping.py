"""Potential-based shaping (Ng, Harada and Russell, 1999): it changes what is paid, never what is best."""

from __future__ import annotations

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from kit.contracts.formulas import compile_design
from services.trainer.inside.candidate import load
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.shaping import Shaping
from tests.corridors import corridor, source_for

GOAL, ACTIONS, DISCOUNT = 4, 3, 0.95
RIGHT = [1, 1, 1, 1]  # in each cell before the goal, found by thinking
LONG = 100_000  # no episode is cut off: values of a corridor without end


def paid_by_the_wrapper(potential: str) -> np.ndarray:
    """(cell, action) -> (next cell, what the agent is paid), as random play through the wrapper shows it."""
    design = corridor("DISCRETE", step_limit=LONG, potential=potential)
    layout, make = Layout(design), load(source_for("DISCRETE", step_limit=LONG), design)
    recorder = Recorder(make(), design, layout)
    venv = Shaping(DummyVecEnv([lambda: recorder]), Recorders([recorder]), compile_design(design), layout)
    found = np.full((GOAL, ACTIONS, 2), np.nan)
    generator = np.random.default_rng(0)
    venv.seed(1)
    cell = int(venv.reset()[0, 0])
    while np.isnan(found).any():
        action = int(generator.integers(ACTIONS))
        observations, rewards, dones, infos = venv.step(np.array([action]))
        after = infos[0]["terminal_observation"] if dones[0] else observations[0]
        found[cell, action] = float(after[0]), rewards[0]
        cell = int(observations[0, 0])
    return found


def best_policy(moves: np.ndarray) -> list[int]:
    """By value iteration; nothing comes after the goal."""
    after, paid = moves[..., 0].astype(int), moves[..., 1]
    values = np.zeros(GOAL + 1)
    for _ in range(500):
        worth = paid + DISCOUNT * values[after]
        values[:GOAL] = worth.max(axis=1)
    return [int(action) for action in worth.argmax(axis=1)]


@pytest.mark.parametrize(
    "potential",
    [
        "state.position",  # that helps
        "-3 * state.position",  # that misleads
        "7 - 20 * (state.position == 4)",  # that is worst where the goal is
    ],
)
def test_the_best_policy_of_a_small_mdp_is_the_same_with_any_potential(potential):
    assert best_policy(paid_by_the_wrapper(potential)) == RIGHT


def test_a_bonus_that_is_no_difference_of_potentials_would_change_it():
    """So that the test above could fail: the misleading potential, paid as a plain bonus."""
    moves = paid_by_the_wrapper("0")
    moves[..., 1] -= 3 * moves[..., 0]
    assert best_policy(moves) != RIGHT
