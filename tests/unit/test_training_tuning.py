"""The search for hyperparameters, without boxes: what is tried, pruned, compared and kept."""

from __future__ import annotations

import asyncio

import pytest

from kit.contracts.design import Direction
from kit.contracts.outcomes import Evaluation, NamedNumber
from services.trainer.inside.hyperparameters import plan
from services.trainer.inside.knobs import KNOBS, knobs_of
from services.trainer.inside.payloads import Bar, Knob, SearchClaim, SearchPayload
from services.trainer.tuning import Search, Tried, bars
from services.trainer.turns import in_turns
from tests.corridors import corridor

KNOB = Knob(name="learning_rate", low=0.0, high=1.0)


def metric(direction: Direction = Direction.HIGHER):
    return corridor("DISCRETE").metrics[0].model_copy(update={"name": "goods", "direction": direction})


def values(rate: float) -> tuple[NamedNumber, ...]:
    return (NamedNumber(name="learning_rate", value=rate),)


def curve(*goods: float) -> tuple[Evaluation, ...]:
    """An evaluation every 100 steps."""
    return tuple(
        Evaluation(
            timesteps=100 * n, mean_reward=0, std_reward=0, episodes=1, metrics=(NamedNumber(name="goods", value=one),)
        )
        for n, one in enumerate(goods, 1)
    )


class Sampler:
    """Suggests 0.1, 0.2, ... and remembers what it was told."""

    def __init__(self) -> None:
        self.asked: list[SearchPayload] = []

    async def __call__(self, question: SearchPayload) -> SearchClaim:
        self.asked.append(question)
        if not question.ask:
            return SearchClaim(importances=values(1.0))
        return SearchClaim(suggested=(values(0.1 * len(self.asked)),))


def search(trials: int, direction: Direction = Direction.HIGHER) -> Search:
    return Search(metric(direction), (KNOB,), values(0.5), trials, at_once=2, total=1000, seed=0)


@pytest.mark.parametrize(("direction", "best"), [(Direction.HIGHER, 3), (Direction.LOWER, 0)])
async def test_trial_0_has_the_defaults_and_the_best_is_by_the_primary_metric(direction, best):
    async def attempt(number, given, bars):
        return Tried(float(number))

    one, sampler = search(4, direction), Sampler()
    found = await one.run(attempt, sampler)
    assert [trial.number for trial in one.records] == [0, 1, 2, 3]
    assert one.records[0].hyperparameters == values(0.5)
    assert one.best == best
    assert found.importances == values(1.0)
    assert sampler.asked[0].maximise is (direction is Direction.HIGHER)


async def test_the_sampler_hears_of_every_trial_done_or_running():
    begun = asyncio.Event()

    async def attempt(number, given, bars):
        if number == 1:
            await begun.wait()  # still running when trial 2 is asked for
        if number == 2:
            begun.set()
        return Tried(float(number))

    sampler = Sampler()
    await search(3).run(attempt, sampler)
    assert [len(question.trials) for question in sampler.asked] == [1, 1, 3]
    assert [len(question.running) for question in sampler.asked] == [0, 1, 0]


async def test_where_the_defaults_cannot_be_trained_nothing_more_is_tried():
    tried = []

    async def attempt(number, given, bars):
        tried.append(number)
        return Tried(None)

    await search(5).run(attempt, Sampler())
    assert tried == [0]


async def test_a_trial_that_fails_or_is_pruned_is_none_to_choose():
    async def attempt(number, given, bars):
        return {0: Tried(1.0), 1: Tried(None, pruned=True), 2: Tried(None)}[number]

    one = search(3)
    await one.run(attempt, Sampler())
    assert [(trial.value, trial.pruned) for trial in one.records] == [(1.0, False), (None, True), (None, False)]
    assert one.best == 0


def test_there_is_no_bar_before_four_trials_are_complete():
    assert bars(metric(), [curve(*[1.0] * 10)] * 3, 1000) == ()


def test_the_bar_is_the_median_of_what_had_been_reached_from_a_quarter_of_the_budget_on():
    complete = [curve(5, 1, 1, 1), curve(1, 1, 1, 2), curve(1, 1, 3, 3), curve(0, 0, 0, 9)]
    assert bars(metric(), complete, 1000) == (
        Bar(timesteps=300, primary=2.0),  # reached by then: 5, 1, 3, 0
        Bar(timesteps=400, primary=4.0),  # 5, 2, 3, 9
    )


def test_where_lower_is_better_the_bar_is_turned():
    complete = [curve(5, 5, 5), curve(4, 4, 4), curve(3, 3, 3), curve(2, 9, 9)]
    assert bars(metric(Direction.LOWER), complete, 1000) == (Bar(timesteps=300, primary=3.5),)


@pytest.mark.parametrize("family", ["DISCRETE", "MASKED", "BOX"])
def test_every_knob_is_a_hyperparameter_and_holds_the_default(family):
    decided = plan(corridor(family))
    knobs = knobs_of(decided, frozenset({"learning_rate"}))
    assert [knob.name for knob in knobs] == [k.name for k in KNOBS[decided.algorithm.name] if k.name != "learning_rate"]
    assert all(knob.low <= decided.values[knob.name] <= knob.high for knob in knobs)


async def test_a_failure_ends_what_works_beside_it():
    ended = []

    async def work(what: int) -> int:
        if what == 1:
            raise ValueError("broken")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(what)
        return what

    with pytest.raises(ValueError, match="broken"):
        await in_turns(work, [0, 1], 2)
    assert ended == [0]
