"""Domain randomisation: each training episode has parameters of its own, is paid by them, and says which they were."""

from __future__ import annotations

import cloudpickle
import numpy as np
import pyarrow.parquet as pq
import pytest

from kit.contracts.formulas import compile_design
from kit.contracts.outcomes import PolicyKind
from kit.inside.candidate import Candidate
from services.trainer.inside.candidate import load
from services.trainer.inside.copies import copies_for
from services.trainer.inside.episodes import Episodes
from services.trainer.inside.faults import CandidateBroke
from services.trainer.inside.hyperparameters import plan
from services.trainer.inside.measuring import Judge, Rung
from services.trainer.inside.payloads import TrainPayload
from services.trainer.inside.randomising import Randomised
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.rows import STEP, Layout
from services.trainer.inside.steps_file import StepsFile
from tests.corridors import corridor, source_for

TOLLS = (0.5, 2.0)
DESIGN = corridor("DISCRETE", tolls=TOLLS)
LAYOUT = Layout(DESIGN)
TOLL = LAYOUT.parameters[0].start


def played(recorder: Recorder, seed: int, episodes: int = 12) -> np.ndarray:
    """The rows of whole episodes, always going right, the first with this seed."""
    for episode in range(episodes):
        recorder.reset(seed=seed if episode == 0 else None)
        over = False
        while not over:
            _, _, terminated, truncated, _ = recorder.step(1)
            over = terminated or truncated
    return recorder.harvest()[0]


def randomised() -> Recorder:
    return Recorder(Randomised(load(source_for("DISCRETE"), DESIGN)), DESIGN, LAYOUT)


def tolls(rows: np.ndarray) -> list[float]:
    """Of each episode."""
    return rows[rows[:, STEP] == 0, TOLL].tolist()


def test_every_episode_draws_its_own_parameters_within_their_range():
    found = tolls(played(randomised(), seed=3))
    assert len(set(found)) == 12
    assert TOLLS[0] <= min(found) < max(found) <= TOLLS[1]


def test_a_seed_draws_the_same_again_and_another_seed_others():
    again = [tolls(played(randomised(), seed=seed)) for seed in (3, 3, 4)]
    assert again[0] == again[1] != again[2]


def test_an_episode_is_paid_and_judged_by_what_it_drew():
    rows = played(randomised(), seed=3)
    values = Episodes(compile_design(DESIGN), LAYOUT).of(rows)
    assert values.gap < 1e-9  # what was paid is what the formulas say, with the toll of each episode
    gained = 4 - rows[rows[:, STEP] == 0, LAYOUT.state[0].start]  # cells to go, one a step
    assert values.paid == pytest.approx(gained - 0.1 * gained * np.array(tolls(rows)))


def test_evaluations_are_played_with_the_designs_own_values():
    rows = played(Recorder(load(source_for("DISCRETE"), DESIGN)(), DESIGN, LAYOUT, seed=3), seed=3)
    assert set(rows[:, TOLL]) == {1.0}


def test_what_was_drawn_stands_in_the_file_of_steps(tmp_path):
    rows = played(randomised(), seed=3)
    file = StepsFile(tmp_path / "steps.parquet", LAYOUT, 2**20)
    file.write(np.zeros(len(rows), dtype=np.intp), rows)
    file.close()
    assert pq.read_table(tmp_path / "steps.parquet")["parameter.toll"].to_pylist() == rows[:, TOLL].tolist()


def test_a_batched_twin_is_set_aside_where_parameters_are_drawn(tmp_path):
    asked = TrainPayload(source=source_for("DISCRETE"), design=DESIGN, total_timesteps=300_000, twin="class Twin: ...")
    settings = plan(DESIGN, 0, 300_000, 2, ())
    copies = copies_for(asked, settings, load(asked.source, DESIGN), LAYOUT, [], tmp_path)
    assert copies.make_twin is None
    assert copies.twin == "set aside: toll can change from episode to episode, which copies of a twin can't"


def test_an_episode_under_way_goes_on_with_its_own_parameters_after_a_checkpoint():
    first, second = randomised(), randomised()
    first.reset(seed=3)
    first.step(1)
    second.take_up(cloudpickle.loads(cloudpickle.dumps(first.kept())))
    for recorder in (first, second):
        recorder.step(1)
    following = [played(recorder, seed=None) for recorder in (first, second)]
    assert tolls(following[0]) == tolls(following[1])


def test_an_environment_that_breaks_with_drawn_parameters_is_a_finding():
    broken = source_for("DISCRETE").replace("        self.cells,", "        assert toll == 1.0\n        self.cells,")
    recorder = Recorder(Randomised(load(broken, DESIGN)), DESIGN, LAYOUT)
    with pytest.raises(CandidateBroke) as broke:
        recorder.reset(seed=3)
    assert broke.value.finding.check == "training.raised"
    assert "Environment(...)" in broke.value.finding.message


def test_the_judge_plays_every_policy_with_the_same_draws_and_judges_by_them():
    seeds = range(20_000, 20_006)
    right = Rung("right", PolicyKind.BASELINE, lambda seen: np.ones((len(seen.seeds), 1)))
    with Candidate.start(10.0) as candidate:
        judge = Judge(candidate, source_for("DISCRETE"), compile_design(DESIGN))
        nominal = judge.episodes(right, seeds)
        draws = judge.draw(seeds)
        drawn, again = (judge.episodes(right, seeds, draws) for _ in range(2))
    assert drawn == again
    steps = np.array(nominal.lengths)
    assert drawn.lengths == nominal.lengths  # the seed says where an episode starts, whatever a step costs
    assert nominal.rewards == pytest.approx(0.9 * steps)
    assert drawn.rewards == pytest.approx(steps - 0.1 * draws["toll"] * steps)
    assert len(set(draws["toll"])) == len(seeds)
