"""Curriculum: what opens the next level, and what the training's environments then have."""

from __future__ import annotations

import numpy as np
import pytest

from kit.contracts.design import EnvDesign, Level, ParameterOverride
from kit.contracts.formulas import compile_design
from services.trainer.inside.candidate import load
from services.trainer.inside.episodes import Episodes
from services.trainer.inside.levels import Levels, stages_of
from services.trainer.inside.randomising import Randomised
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from tests.corridors import corridor, source_for

FEWEST, MOST = 1.0, 4.0  # steps to the goal, straight on, from anywhere


class StraightOn:
    """A policy that goes right, `steps` into its training."""

    def __init__(self, steps: int) -> None:
        self.num_timesteps = steps

    def predict(self, observations, state=None, episode_start=None, deterministic=False, action_masks=None):
        return np.ones(len(observations), dtype=np.int64), state


def level(name: str, starts: float, opens_next_at: float | None = None) -> Level:
    """starts: in one of the first so many cells; all but the design's own 1 are nearer to the goal."""
    override = ParameterOverride(name="starts", values=(starts,))
    return Level(name=name, overrides=(override,), opens_next_at=opens_next_at)


def in_levels(*curriculum: Level, family: str = "DISCRETE") -> tuple[EnvDesign, Layout, Recorder, Levels]:
    """With one environment in training."""
    design = corridor(family, starts=1, curriculum=curriculum, tolls=(0.5, 2.0))
    layout, make = Layout(design), load(source_for(family), design)
    trained = Recorder(Randomised(make), design, layout)
    episodes = Episodes(compile_design(design), layout)
    return design, layout, trained, Levels(make, design, layout, episodes, 20, Recorders([trained]), [])


def of_next_reset(recorder: Recorder, layout: Layout, name: str) -> float:
    recorder.reset()
    return recorder.now[next(part.start for part in layout.parameters if part.name == name)]


@pytest.mark.parametrize(
    ("curriculum", "names"),
    [
        ((), [""]),
        ((level("easy", 4, 2.5), level("harder", 2, 3.5)), ["easy", "harder", "nominal"]),
        ((level("easy", 4, 2.5), level("last", 1)), ["easy", "last"]),
    ],
)
def test_the_designs_own_values_come_after_the_last_level_that_opens_another(curriculum, names):
    assert [stage.name for stage in stages_of(corridor("DISCRETE", curriculum=curriculum))] == names


@pytest.mark.parametrize("family", ["DISCRETE", "MASKED"])
@pytest.mark.parametrize(("threshold", "opened"), [(MOST, True), (FEWEST, False)])  # fewer steps are better
def test_a_level_opens_the_next_where_the_primary_metric_is_good_enough(family, threshold, opened):
    _, _, _, levels = in_levels(level("easy", 4, threshold), family=family)
    value = levels.look(StraightOn(steps=100))
    assert FEWEST < value < MOST
    assert levels.name == ("nominal" if opened else "easy")


def test_what_is_looked_at_are_episodes_at_the_level_itself():
    _, _, _, levels = in_levels(level("easy", 1, 4.0), level("harder", 2, 3.9), level("last", 1))
    assert levels.look(StraightOn(steps=100)) == 4.0  # exactly at the threshold, which opens
    assert 3.0 < levels.look(StraightOn(steps=200)) < 4.0
    assert levels.look(StraightOn(steps=300)) is None
    assert levels.name == "last"


def test_environments_in_training_have_a_levels_parameters_from_their_next_reset_on():
    _, layout, trained, levels = in_levels(level("easy", 4, MOST))
    assert of_next_reset(trained, layout, "starts") == 4
    levels.look(StraightOn(steps=100))
    assert trained.now[layout.parameters[0].start] == 4  # this episode is still of the level before
    assert of_next_reset(trained, layout, "starts") == 1


def test_what_a_level_does_not_set_is_still_drawn():
    _, layout, trained, _ = in_levels(level("easy", 4, MOST))
    assert len({of_next_reset(trained, layout, "toll") for _ in range(5)}) == 5


def test_a_count_stays_a_count():
    stages = stages_of(corridor("DISCRETE", curriculum=(level("easy", 4, MOST),)))
    assert stages[0].draws["starts"].tolist() == 4
    assert isinstance(stages[0].draws["starts"].tolist(), int)


@pytest.mark.parametrize(
    ("looks", "steps", "said"),
    [
        ([], 100, "ended at the level easy"),
        ([100], 100, "ended at the level easy"),  # opened at the very end, so no step was taken beyond
        ([100], 200, None),
    ],
)
def test_a_training_that_ends_before_the_last_level_says_so(looks, steps, said):
    _, _, _, levels = in_levels(level("easy", 4, MOST))
    for at in looks:
        levels.look(StraightOn(steps=at))
    assert [said in finding.message for finding in levels.unfinished(steps)] == ([True] if said else [])


def test_a_training_that_goes_on_goes_on_at_its_level():
    _, _, _, levels = in_levels(level("easy", 4, MOST))
    levels.look(StraightOn(steps=100))
    _, layout, fresh, again = in_levels(level("easy", 4, MOST))
    again.take_up(levels.kept())
    assert (again.name, again.since) == ("nominal", 100)
    assert of_next_reset(fresh, layout, "starts") == 1
