"""What was learned, on ladders and curves small enough to work out by hand."""

from __future__ import annotations

import pytest

from kit.contracts.design import Direction
from kit.contracts.outcomes import Evaluation, Interval, NamedNumber, PolicyKind, VerdictKind
from services.trainer import curves, intervals
from services.trainer.inside.payloads import LadderClaim, PolicyEpisodes
from services.trainer.ladder import is_complete, ladder_of
from services.trainer.verdict import verdict
from tests.corridors import corridor

HIGHER, LOWER = Direction.HIGHER, Direction.LOWER
FLAT = [5.0] * 10
RISING = [0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
FLATTENED = [0.0, 4, 8, 9, 9.9, 10, 10.1, 10, 9.9, 10]
SPREAD = (-1.0, 0.0, 1.0) * 10  # what seeds do to every policy alike


def design(direction: Direction):
    whole = corridor("DISCRETE")
    metric = whole.metrics[0].model_copy(update={"direction": direction, "name": "goods", "unit": "pieces"})
    return whole.model_copy(update={"metrics": (metric,)})


def rung(kind: PolicyKind, metric: float, reward: float, name: str = "", components=(0.0, 0.0)) -> PolicyEpisodes:
    return PolicyEpisodes(
        policy=name or kind.value.lower(),
        kind=kind,
        rewards=tuple(reward + s for s in SPREAD),
        lengths=(20,) * len(SPREAD),
        metrics=(tuple(metric + s for s in SPREAD),),
        components=tuple((c,) * len(SPREAD) for c in components),
    )


def others(rule=(5.0, 5.0)) -> list[PolicyEpisodes]:
    """Idle and random get nowhere; the rule has the given metric and reward."""
    return [rung(PolicyKind.IDLE, 0, 0), rung(PolicyKind.RANDOM, 0, 0), rung(PolicyKind.BASELINE, *rule, name="rule")]


def evaluated(rewards, metrics=None) -> list[Evaluation]:
    return [
        Evaluation(
            timesteps=1000 * (i + 1),
            mean_reward=reward,
            std_reward=1.0,
            episodes=20,
            metrics=() if metrics is None else (NamedNumber(name="goods", value=metrics[i]),),
        )
        for i, reward in enumerate(rewards)
    ]


@pytest.mark.parametrize(
    ("metric", "reward", "curve", "expected"),
    [
        (7.0, 7.0, FLATTENED, VerdictKind.LEARNED),
        (7.0, 7.0, RISING, VerdictKind.LEARNED),  # that it could learn more takes nothing from it
        (7.0, 3.0, FLATTENED, VerdictKind.LEARNED),  # less reward, and still better at what is wanted
        (3.0, 7.0, FLATTENED, VerdictKind.REWARD_HACKED),
        (3.0, 7.0, RISING, VerdictKind.REWARD_HACKED),  # comes before UNDERTRAINED
        (5.0, 7.0, FLATTENED, VerdictKind.NO_BETTER_THAN_BASELINE),  # as good as the rule is not better
        (5.0, 5.0, RISING, VerdictKind.UNDERTRAINED),
        (3.0, 3.0, RISING, VerdictKind.UNDERTRAINED),
        (3.0, 3.0, FLATTENED, VerdictKind.NO_BETTER_THAN_BASELINE),
        (3.0, 3.0, RISING[:5], VerdictKind.NO_BETTER_THAN_BASELINE),  # five evaluations say nothing of a trend
        (3.0, 3.0, FLAT, VerdictKind.NO_BETTER_THAN_BASELINE),
    ],
)
def test_the_ladder_and_the_curve_decide_what_was_learned(metric, reward, curve, expected):
    policies = [*others(), rung(PolicyKind.TRAINED, metric, reward)]
    assert verdict(design(HIGHER), policies, evaluated(curve)).kind is expected


@pytest.mark.parametrize(
    ("direction", "metric", "expected"),
    [
        (LOWER, -7.0, VerdictKind.LEARNED),
        (LOWER, 7.0, VerdictKind.NO_BETTER_THAN_BASELINE),
        (HIGHER, -7.0, VerdictKind.NO_BETTER_THAN_BASELINE),
    ],
)
def test_better_is_where_the_metric_points(direction, metric, expected):
    policies = [*others((0.0, 0.0)), rung(PolicyKind.TRAINED, metric, 0.0)]
    assert verdict(design(direction), policies).kind is expected


def test_the_best_of_the_others_may_be_idle():
    policies = [rung(PolicyKind.IDLE, 9, 0), rung(PolicyKind.BASELINE, 1, 0), rung(PolicyKind.TRAINED, 5, 0)]
    said = verdict(design(HIGHER), policies)
    assert said.kind is VerdictKind.NO_BETTER_THAN_BASELINE
    assert "the best of the others, idle, 9 pieces (higher is better): worse by 4" in said.reason


@pytest.mark.parametrize(
    ("goods", "trained", "expected"),
    [
        ([9, 9, 9, 6, 5, 4, 2, 2, 1, 1], 1.0, VerdictKind.REWARD_HACKED),
        ([9, 9, 9, 6, 5, 4, 2, 2, 1, 1], 7.0, VerdictKind.LEARNED),  # it beats the rule all the same
        ([5, 4, 5, 5, 4, 5, 5, 4, 5, 5], 1.0, VerdictKind.UNDERTRAINED),  # the metric does not move
        ([1, 1, 2, 2, 4, 5, 6, 9, 9, 9], 1.0, VerdictKind.UNDERTRAINED),
    ],
)
def test_reward_that_rises_while_the_metric_falls_is_hacking(goods, trained, expected):
    policies = [*others(), rung(PolicyKind.TRAINED, trained, 1.0)]
    assert verdict(design(HIGHER), policies, evaluated(RISING, [float(g) for g in goods])).kind is expected


def test_hacking_names_the_component_that_pays_for_it():
    rule = rung(PolicyKind.BASELINE, 5, 5, "rule", components=(4.0, 1.0))
    trained = rung(PolicyKind.TRAINED, 3, 7, components=(1.0, 6.0))
    said = verdict(design(HIGHER), [rule, trained])
    assert "gets 2 more reward an episode than rule" in said.reason
    assert "most of it from time (+5)" in said.reason


def test_every_reason_says_that_one_seed_proves_no_stability():
    policies = [*others(), rung(PolicyKind.TRAINED, 7, 7)]
    assert "whether other seeds agree is not known" in verdict(design(HIGHER), policies).reason


def test_a_metric_without_a_value_decides_nothing():
    trained = rung(PolicyKind.TRAINED, 7, 7).model_copy(update={"metrics": ((None,) * len(SPREAD),)})
    said = verdict(design(HIGHER), [*others(), trained])
    assert said.kind is VerdictKind.NO_BETTER_THAN_BASELINE
    assert "no value in any episode" in said.reason


def test_what_seeds_do_to_both_alike_cancels_in_the_difference():
    ours, theirs = [100.0, 0.0, 50.0, 1.0], [99.0, -1.0, 49.0, 0.0]
    assert intervals.of_difference(ours, theirs) == Interval(mean=1.0, low=1.0, high=1.0)


def test_episodes_without_a_value_are_left_out_of_a_difference():
    assert intervals.of_difference([3.0, None, 5.0], [1.0, 1.0, None]) == Interval(mean=2.0, low=2.0, high=2.0)


def test_the_interval_of_a_fair_coin_is_where_arithmetic_puts_it():
    """100 tosses, 50 heads: 0.5 within 1.96 standard errors of 0.05."""
    interval = intervals.of_mean([0.0, 1.0] * 50)
    assert interval is not None
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.402, abs=0.015)
    assert interval.high == pytest.approx(0.598, abs=0.015)


def test_the_same_numbers_give_the_same_interval():
    assert intervals.of_mean([1.0, 2.0, 4.0]) == intervals.of_mean([1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("rewards", "rising"),
    [
        (RISING, True),
        (FLATTENED, False),
        (FLAT, False),
        (list(reversed(RISING)), False),
        ([0, 8, 0, 8, 0, 8, 0, 8, 0, 8], False),  # noise
        ([0, 0, 0, 0, 0, 1, 2, 3, 4, 5], True),
        ([0, 2, 4, 6, 8, 10, 10, 10, 10, 10, 10, 10], False),  # it rose in the second half, and then no more
    ],
)
def test_a_curve_rises_where_its_last_third_does(rewards, rising):
    assert curves.still_rising(evaluated(rewards)) is rising


def test_the_ladder_keeps_the_designs_order_and_leaves_out_what_has_no_value():
    one = PolicyEpisodes(
        policy="idle",
        kind=PolicyKind.IDLE,
        rewards=(1.0, 3.0),
        lengths=(20, 20),
        metrics=((20.0, 20.0), (None, None), (1.0, None)),
        components=((2.0, 4.0), (-1.0, -1.0)),
    )
    row = ladder_of(corridor("DISCRETE"), LadderClaim(policies=(one,))).rows[0]
    assert [(m.name, m.interval.mean) for m in row.metrics] == [("steps_taken", 20.0), ("mean_cell", 1.0)]
    assert [(c.name, c.value) for c in row.components] == [("progress", 3.0), ("time", -1.0)]
    assert row.reward.mean == 2.0
    assert row.reward.low <= 2.0 <= row.reward.high


@pytest.mark.parametrize(
    ("change", "complete"),
    [
        ({}, True),
        ({"metrics": ()}, False),
        ({"components": ((0.0,) * len(SPREAD),)}, False),
        ({"rewards": (1.0,)}, False),
        ({"kind": PolicyKind.BASELINE}, False),  # then nothing was trained
    ],
)
def test_a_ladder_counts_only_where_it_is_complete(change, complete):
    trained = rung(PolicyKind.TRAINED, 7, 7).model_copy(update=change)
    policies = (*others(), rung(PolicyKind.CONSTANT, 0, 0), trained)
    claim = LadderClaim(policies=policies, validation=(7.0, None))
    assert is_complete(design(HIGHER), claim, len(SPREAD), 2) is complete
    assert not is_complete(design(HIGHER), claim, len(SPREAD) - 1, 2)
    assert not is_complete(design(HIGHER), claim, len(SPREAD), 3)
