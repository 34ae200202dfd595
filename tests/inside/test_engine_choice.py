"""Which engine trains what, and the lean vector of environments against the library's."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from kit.contracts.design import EnvDesign
from services.trainer.inside.candidate import load
from services.trainer.inside.engines.auto import choose
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.refusal import Diverged
from services.trainer.inside.hyperparameters import HyperparameterRefused, plan
from tests.inside.engines import ACTIONS, Drift, ppo, sac

PROBLEMS = Path(__file__).parents[2] / "kit" / "library" / "problems"


def worked(problem):
    folder = PROBLEMS / problem
    design = EnvDesign.model_validate_json((folder / "design.json").read_text())
    return design, load((folder / "environment.py").read_text(), design)


@pytest.mark.parametrize(
    ("problem", "algorithm"), [("hospital_shifts", "PPO"), ("inventory_365", "PPO"), ("office_heating", "SAC")]
)
def test_a_vector_of_observations_goes_to_the_fast_engine(problem, algorithm):
    design, make = worked(problem)
    chosen = choose(plan(design, 1, 2000, 2), LeanVector([make, make]))
    assert (chosen.engine, type(chosen.model).__name__) == ("fast", f"Fast{algorithm}")
    assert chosen.why.startswith(algorithm)
    assert chosen.why.endswith(".")


def test_what_the_fast_engine_cant_do_goes_to_the_librarys_and_says_why():
    design, _ = worked("inventory_365")

    class Table(gymnasium.ObservationWrapper):
        observation_space = spaces.Box(-5, 5, (2, 3), np.float32)

        def observation(self, observation):
            return observation.reshape(2, 3)

    venv = DummyVecEnv([lambda: Table(Drift(ACTIONS["discrete"])) for _ in range(2)])
    chosen = choose(plan(design, 1, 2000, 2), venv)
    assert (chosen.engine, type(chosen.model).__name__) == ("sb3", "PPO")
    assert chosen.why == "The library's own loops, since observations are not a vector."


def test_the_lean_vector_is_the_librarys_step_by_step():
    vectors = [kind([lambda: Monitor(Drift(ACTIONS["box"])) for _ in range(3)]) for kind in (LeanVector, DummyVecEnv)]
    for vector in vectors:
        vector.seed(4)
    lean, plain = (vector.reset() for vector in vectors)
    assert np.array_equal(lean, plain)
    random = np.random.default_rng(1)
    ended = 0
    for _ in range(200):
        actions = random.uniform(-1, 1, (3, 2)).astype(np.float32)
        lean, plain = (vector.step(actions) for vector in vectors)
        for ours, theirs in zip(lean[:3], plain[:3], strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)
        for ours, theirs in zip(lean[3], plain[3], strict=True):
            assert ours.keys() == theirs.keys()
            assert ours["TimeLimit.truncated"] == theirs["TimeLimit.truncated"]
            if "episode" in ours:
                ended += 1
                assert (ours["episode"]["r"], ours["episode"]["l"]) == (theirs["episode"]["r"], theirs["episode"]["l"])
                assert np.array_equal(ours["terminal_observation"], theirs["terminal_observation"])
    assert ended > 20


def test_what_a_step_gave_stays_as_it_was():
    vector = LeanVector([lambda: Monitor(Drift(ACTIONS["discrete"], limit=2))])
    vector.reset()
    seen = [vector.step(np.array([1])) for _ in range(4)]
    kept = [[np.copy(part) for part in step[:3]] for step in seen]
    vector.step(np.array([2]))
    for step, copies in zip(seen, kept, strict=True):
        assert all(np.array_equal(part, copy) for part, copy in zip(step[:3], copies, strict=True))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, about the overflow
@pytest.mark.parametrize(
    "model", [lambda: ppo("box", True, learning_rate=1e20), lambda: sac(True, learning_rate=1e20)], ids=["PPO", "SAC"]
)
def test_networks_that_diverge_are_told_as_a_learning_rate_that_is_too_high(model):
    with pytest.raises(Diverged, match=r"a learning_rate of 1e\+20 is too high") as raised:
        model().learn(3000)
    assert isinstance(raised.value, HyperparameterRefused)
