"""Batched twins: drawn chance, the proof that a twin is the environment, and trainings on one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.contracts.design import EnvDesign, Hyperparameter
from services.trainer.inside.candidate import load
from services.trainer.inside.copies import copies_for, widened
from services.trainer.inside.draws import DISTRIBUTIONS, Draws, OwnDraws
from services.trainer.inside.engines.twin_vector import TwinVector
from services.trainer.inside.hyperparameters import plan
from services.trainer.inside.payloads import TrainPayload
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.twin_recorder import TwinBroke, TwinRecorder
from services.trainer.inside.twins import ROUNDS, load_twin, prove

torch.set_num_threads(1)

PROBLEMS = Path(__file__).parents[2] / "kit" / "library" / "problems"
TWINS = sorted(path.parent.name for path in PROBLEMS.glob("*/twin.py"))
ARGUMENTS = {
    "integers": (2, 9), "poisson": (3.5,), "binomial": (7, 0.4), "exponential": (2.0,), "geometric": (0.3,),
    "gamma": (2.0, 1.5), "beta": (2.0, 3.0), "triangular": (-1, 0, 2), "lognormal": (0.1, 0.5),
    "uniform": (-1, 4), "normal": (3, 2),
}  # fmt: skip


def worked(problem):
    folder = PROBLEMS / problem
    design = EnvDesign.model_validate_json((folder / "design.json").read_text())
    return design, (folder / "environment.py").read_text(), (folder / "twin.py").read_text()


FEW = ((8, None),)


def proof(problem, *changes, rounds=FEW):
    design, source, twin = worked(problem)
    for old, new in changes:
        assert old in twin
        twin = twin.replace(old, new)
    return prove(load(source, design), load_twin(twin, design), design, Layout(design), [], rounds)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_each_copy_draws_what_a_generator_of_its_seed_draws(name):
    given = ARGUMENTS.get(name, ())
    own = OwnDraws([5, 6, 7])
    for rows, which in ((None, [0, 1, 2]), (np.array([2, 0]), [2, 0]), (np.array([False, True, False]), [1])):
        assert len(getattr(own, name)(*given, rows=rows)) == len(which)
    alone = [np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))) for seed in (5, 6, 7)]
    for row in (0, 1, 2, 2, 0, 1):
        getattr(alone[row], name)(*given)
    assert getattr(own, name)(*given).tolist() == [getattr(one, name)(*given) for one in alone]


def test_a_copys_own_arguments_go_to_its_own_draw():
    own, alone = OwnDraws([5, 6]), [np.random.default_rng(seed) for seed in (5, 6)]
    drawn = own.poisson(np.array([1.0, 50.0]))
    assert drawn.tolist() == [alone[0].poisson(1.0), alone[1].poisson(50.0)]


def test_together_copies_draw_from_one_generator():
    draws, alone = Draws(np.random.default_rng(3), 4), np.random.default_rng(3)
    assert np.array_equal(draws.uniform(0, 2), alone.uniform(0, 2, 4))
    assert np.array_equal(draws.integers(0, 9, rows=np.array([1, 3])), alone.integers(0, 9, 2))


@pytest.mark.parametrize("problem", TWINS)
def test_the_twins_of_the_worked_problems_are_proved_equal_on_thousands_of_episodes(problem):
    found = proof(problem, rounds=ROUNDS)
    assert (found.differs, found.episodes) == ("", 2000)
    assert str(found).startswith("used: equal to the scalar environment on 2,000 episodes (")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("shortage_cost * self.lost", "shortage_cost * self.lost * 1.001"), "the reward is"),
        (("self.capacity - self.stock", "self.capacity - self.stock + 1"), "state.stock is"),
        (("-self.spread, self.spread + 1", "-self.spread, self.spread"), "state."),
        (("self.day >= self.STEP_LIMIT", "self.day > self.STEP_LIMIT"), "an episode ends otherwise, seed 3000"),
        (("def components(self):", "def parts(self):"), "components"),
        (('"lost": self.lost,', ""), "doesn't fit the design: KeyError: 'lost'"),
        (("self.day += 1", "self.day = self.day + 1 / 0"), "step() raised ZeroDivisionError"),
        (("    def observe(self):", "    def observe(self):\n        return self.stock * np.nan\n"), "doesn't fit"),
        (("class BatchedEnvironment", "class Batch"), "its module can't be used: KeyError"),
        (("        copies,\n        *,", "        copies,\n        *,\n        more,"), "it can't be made: TypeError"),
    ],
)
def test_a_twin_that_differs_is_set_aside_and_says_where(change, said):
    try:
        differs = proof("inventory_365", change).differs
    except TwinBroke as broke:
        differs = str(broke)
    assert said in differs


def test_a_difference_deep_in_an_episode_is_found():
    found = proof("inventory_365", ("self.day += 1", "self.day += 1\n        self.stock += self.day == 300"))
    assert "stock is" in found.differs
    assert "step 300 of the episode" in found.differs


def payload(problem, twin=None, steps=60_000, **more):
    design, source, own = worked(problem)
    asked = TrainPayload(
        source=source, design=design, twin=own if twin is None else twin, total_timesteps=steps, **more
    )
    return asked, plan(design, asked.seed, asked.total_timesteps, asked.n_envs, asked.hyperparameters)


def copies(tmp_path, problem, twin=None, steps=60_000):
    asked, settings = payload(problem, twin, steps)
    make = load(asked.source, asked.design)
    return copies_for(asked, settings, make, Layout(asked.design), [], tmp_path)


def test_a_short_training_does_without_its_twin(tmp_path):
    assert copies(tmp_path, "inventory_365", steps=2000).twin.startswith("set aside: a training of less than 50,000")


@pytest.mark.parametrize("twin", ["1 / 0", "class BatchedEnvironment:\n    def __init__(self, copies, **named): pass"])
def test_a_broken_twin_leaves_the_scalar_environments(tmp_path, twin):
    chosen = copies(tmp_path, "inventory_365", twin)
    assert chosen.twin.startswith("set aside: ")
    assert (chosen.make_twin, len(chosen.recorders)) == (None, 16)


def test_a_rollout_is_spread_over_more_copies_unless_the_user_said_how_many():
    asked, settings = payload("inventory_365")
    wide = widened(settings, asked)
    assert (wide.n_envs, wide.n_envs * wide.whole("n_steps")) == (64, settings.n_envs * settings.whole("n_steps"))
    said, settings = payload("inventory_365", hyperparameters=(Hyperparameter(name="n_envs", value=4),))
    assert widened(settings, said).n_envs == 4


@pytest.mark.parametrize("problem", TWINS[:1])
def test_a_twin_with_own_streams_plays_and_records_what_scalar_environments_do(problem):
    design, source, twin = worked(problem)
    layout, seeds = Layout(design), [11, 12, 13]
    scalars = [Recorder(load(source, design)(), design, layout) for _ in seeds]
    recorder = TwinRecorder(load_twin(twin, design)(3), 3, layout)
    vector = TwinVector(recorder, 3, scalars[0], seeds=seeds)
    seen = vector.reset()
    assert np.allclose(seen, [env.reset(seed=seed)[0] for env, seed in zip(scalars, seeds, strict=True)])
    random = np.random.default_rng(1)
    ended = 0
    for _ in range(2 * design.episode.step_limit + 5):
        actions = np.array([scalars[0].action_space.sample() for _ in seeds])
        actions = random.permutation(actions)
        seen, rewards, dones, infos = vector.step(actions)
        for row, env in enumerate(scalars):
            now, reward, terminated, truncated, _ = env.step(actions[row])
            assert rewards[row] == np.float32(reward)
            if dones[row]:
                ended += 1
                assert np.allclose(infos[row]["terminal_observation"], now)
                assert infos[row]["TimeLimit.truncated"] == (truncated and not terminated)
                now, _ = env.reset()
            assert np.allclose(seen[row], now)
    ours, theirs = recorder.harvest(), Recorders(scalars).harvest()
    assert ended == 6
    assert np.allclose(ours.complete, theirs.complete)
    assert np.allclose(ours.fresh, theirs.fresh)
    assert ours.environments.tolist() == theirs.environments.tolist()
    assert np.allclose(recorder.now, Recorders(scalars).now)
    assert not len(recorder.harvest().complete)


def test_episodes_given_up_in_the_middle_are_nobodys():
    design, _, twin = worked("inventory_365")
    recorder = TwinRecorder(load_twin(twin, design)(2), 2, Layout(design))
    vector = TwinVector(recorder, 2, load(worked("inventory_365")[1], design)(), seeds=[1, 2])
    for _ in range(2):
        vector.reset()
        for _ in range(design.episode.step_limit // 2):
            vector.step(np.array([1, 2]))
    assert not len(recorder.harvest().complete)
    for _ in range(design.episode.step_limit // 2 + 1):
        vector.step(np.array([1, 2]))
    complete = recorder.harvest().complete
    assert len(complete) == 2 * (design.episode.step_limit + 1)


def test_box_one_trains_on_a_twin_and_says_so(tmp_path):
    asked, _ = payload("inventory_365", steps=50_000, eval_episodes=2)
    program = (
        "import json, sys\n"
        "from services.trainer.inside import train\n"
        "train.main(json.load(sys.stdin), lambda kind, **said: kind == 'result' and print(json.dumps(said)))\n"
    )
    for folder in ("in", "out", "tmp"):
        (tmp_path / folder).mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=asked.model_dump_json(),
        env=os.environ | {"GYMWRIGHT_BOX_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    claim = json.loads(done.stdout.splitlines()[-1])
    assert claim["report"]["twin"].startswith("used: equal to the scalar environment on 2,000 episodes")
    assert claim["report"]["n_envs"] == 64
    assert claim["findings"] == []
    assert (tmp_path / "out" / "monitor.csv").read_text().count("\n") > 100
