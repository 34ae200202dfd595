"""What was learned, on ladders and curves small enough to work out by hand."""

from __future__ import annotations

import math

import pytest

from kit.contracts.design import Direction
from kit.contracts.findings import Blame, Finding, Severity
from kit.contracts.outcomes import ComponentShare, Evaluation, Interval, NamedNumber, PolicyKind, VerdictKind
from services.trainer import curves, intervals
from services.trainer.inside.contests import shown_episode
from services.trainer.inside.payloads import LadderClaim, PolicyEpisodes
from services.trainer.ladder import is_complete, ladder_of
from services.trainer.saturation import fitted
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
        (3.0, 3.0, FLATTENED, VerdictKind.UNDERTRAINED),  # it came to rest short of what the rule is paid
        (4.7, 4.7, FLATTENED, VerdictKind.NO_BETTER_THAN_BASELINE),  # by less than a tenth of what training added
        (4.7, 4.7, RISING[:5], VerdictKind.NO_BETTER_THAN_BASELINE),  # five evaluations say nothing of a trend
        (-1.0, -1.0, FLAT, VerdictKind.NO_BETTER_THAN_BASELINE),  # training added nothing, so more may not either
        (3.0, 5.0, FLAT, VerdictKind.NO_BETTER_THAN_BASELINE),  # it got all that the rule is paid, and is worse
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


@pytest.mark.parametrize(
    ("metric", "reward", "curve", "blame"),
    [
        (7.0, 7.0, FLATTENED, None),
        (3.0, 7.0, FLATTENED, Blame.DESIGN),
        (5.0, 5.0, RISING, Blame.BUDGET),
        (3.0, 3.0, FLAT, Blame.BUDGET),  # the rule gets more reward, too: training fell short
        (5.0, 7.0, FLAT, Blame.DESIGN),  # it got what it is paid for, and is no better
        (5.0, 5.0, FLAT, None),  # as good as the rule, and paid alike
    ],
)
def test_a_verdict_says_whose_move_it_is(metric, reward, curve, blame):
    policies = [*others(), rung(PolicyKind.TRAINED, metric, reward)]
    assert verdict(design(HIGHER), policies, evaluated(curve)).blame is blame


def test_a_training_at_rest_short_of_what_it_was_paid_for_is_told_to_train_longer():
    """The learning rate falls to nothing with the budget, so a curve at rest proves nothing."""
    said = verdict(design(HIGHER), [*others(), rung(PolicyKind.TRAINED, 3, 3)], evaluated(FLATTENED))
    assert said.kind is VerdictKind.UNDERTRAINED
    assert "rule gets 2 more an episode from the same observations" in said.reason
    assert said.suggested_timesteps == 3 * 10_000


def test_the_code_is_to_blame_where_it_paid_another_reward():
    pays = Finding(check="training.reward", severity=Severity.WARNING, blame=Blame.CODE, message="it pays otherwise")
    policies = [*others(), rung(PolicyKind.TRAINED, 3, 7)]
    assert verdict(design(HIGHER), policies, findings=(pays,)).blame is Blame.CODE


@pytest.mark.parametrize(
    ("trained", "rewards", "shares", "component"),
    [
        ((3.0, 7.0), (1.0, 6.0), (), "time"),  # hacked: what gained most
        ((7.0, 7.0), (9.0, 1.0), (), "progress"),  # learned: what differs most
        ((4.7, 4.7), (4.0, -9.0), (), "time"),  # no better: what lost most
    ],
)
def test_a_verdict_names_the_component_that_explains_it(trained, rewards, shares, component):
    rule = rung(PolicyKind.BASELINE, 5, 5, "rule", components=(4.0, 1.0))
    policies = [rule, rung(PolicyKind.TRAINED, *trained, components=rewards)]
    assert verdict(design(HIGHER), policies, evaluated(FLAT), shares).component == component


def test_an_undertrained_policy_is_explained_by_what_changed_most_in_training():
    shares = (ComponentShare(name="progress", first=0, last=1), ComponentShare(name="time", first=-9, last=-2))
    policies = [*others(), rung(PolicyKind.TRAINED, 5, 5)]
    assert verdict(design(HIGHER), policies, evaluated(RISING), shares).component == "time"


@pytest.mark.parametrize(("best", "steps"), [(9.0, True), (11.0, False)])
def test_a_budget_is_suggested_where_the_fit_of_the_curve_beats_the_best(best, steps):
    """10 x (1 - exp(-t / 10,000)) ends at 10: enough where 9 is to be beaten, never where it is 11."""
    curve = [10 * (1 - math.exp(-(i + 1) / 10)) for i in range(10)]
    policies = [rung(PolicyKind.BASELINE, best, 9, "rule"), rung(PolicyKind.TRAINED, 6, 9)]
    said = verdict(design(HIGHER), policies, evaluated(curve, curve))
    assert said.kind is VerdictKind.UNDERTRAINED
    assert (said.suggested_timesteps is not None) is steps
    if steps:
        assert said.suggested_timesteps == pytest.approx(30_000, rel=0.1)  # ln 20 = 3.0 paces leave 5 %


def test_the_fit_finds_the_curve_that_made_the_numbers():
    times = [1000.0 * i for i in range(1, 21)]
    found = fitted(times, [7 - 4 * math.exp(-t / 5000) for t in times])
    assert found is not None
    assert (found.level, found.gap) == (pytest.approx(7, abs=0.1), pytest.approx(4, abs=0.2))
    assert found.pace == pytest.approx(5000, rel=0.1)


@pytest.mark.parametrize("values", [[5.0] * 5, [9.0, 7, 5, 4, 3, 2, 1, 1, 1, 1]])
def test_too_few_points_or_a_falling_curve_have_no_fit(values):
    assert fitted([float(i) for i in range(1, len(values) + 1)], values) is None


@pytest.mark.parametrize(
    ("curve", "kind"),
    [
        ([0.0, 4, 8, 9, 9, 9, 6, 2, 1, 1], VerdictKind.UNSTABLE),
        ([0.0, 4, 8, 9, 9, 9, 9, 9, 9, 1], VerdictKind.LEARNED),  # one bad evaluation is no collapse
        ([0.0, 4, 8, 9, 9, 9, 8, 7, 7, 7], VerdictKind.LEARNED),  # it lost less than half of its rise
        ([0.0, 1, 3, 4, 4, 3, 1, 0, 0, 0], VerdictKind.UNSTABLE),  # below the rule's 5, but on other seeds than that
    ],
)
def test_a_curve_that_falls_back_is_unstable(curve, kind):
    policies = [*others(), rung(PolicyKind.TRAINED, 7, 7)]
    assert verdict(design(HIGHER), policies, evaluated(curve)).kind is kind


def test_a_curve_that_fell_back_from_less_than_the_rule_gets_had_nothing_to_lose():
    policies = [*others(), rung(PolicyKind.TRAINED, 4.9, 4.9)]
    found = verdict(design(HIGHER), policies, evaluated([0.0, 1, 3, 4, 4, 3, 1, 0, 0, 0]))
    assert found.kind is VerdictKind.NO_BETTER_THAN_BASELINE


@pytest.mark.parametrize(
    ("half", "kind"),
    [
        ((4.9, 0.5), VerdictKind.REWARD_HACKED),  # less reward and better, half way
        ((2.0, 1.0), VerdictKind.UNDERTRAINED),  # it was still getting better in the second half
        ((4.7, 4.7), VerdictKind.NO_BETTER_THAN_BASELINE),
    ],
)
def test_half_way_shows_where_the_training_was_going(half, kind):
    policies = [*others(), rung(PolicyKind.HALF_TRAINED, *half), rung(PolicyKind.TRAINED, 4.7, 4.7)]
    assert verdict(design(HIGHER), policies, evaluated(FLAT)).kind is kind


def test_half_trained_need_not_be_beaten_and_the_constant_must():
    half, constant = rung(PolicyKind.HALF_TRAINED, 9, 9), rung(PolicyKind.CONSTANT, 9, 9, "always left")
    trained = rung(PolicyKind.TRAINED, 7, 7)
    assert verdict(design(HIGHER), [*others(), half, trained]).kind is VerdictKind.LEARNED
    assert "always left" in verdict(design(HIGHER), [*others(), constant, trained]).reason
    assert verdict(design(HIGHER), [*others(), constant, trained]).kind is not VerdictKind.LEARNED


def test_the_interquartile_mean_leaves_out_a_quarter_at_either_end():
    middle = intervals.of_iqm([[-1000.0, 1, 2, 3, 4, 5, 6, 1000]])
    assert middle is not None
    assert middle.mean == 3.5  # of 2, 3, 4, 5
    assert middle.low < 3.5 < middle.high


def test_a_stratified_bootstrap_draws_within_each_seed():
    """Two seeds that never vary: whatever is drawn, half is 0 and half is 10, so there is no doubt about the middle."""
    assert intervals.of_iqm([[0.0] * 10, [10.0] * 10]) == Interval(mean=5.0, low=5.0, high=5.0)


def test_the_shown_episode_is_the_typical_one():
    ours = rung(PolicyKind.TRAINED, 0, 0).model_copy(
        update={"metrics": ((9.0, 6.0, 5.0, 1.0, 7.0),), "rewards": (9.0, 6.0, 5.0, 1.0, 7.0)}
    )
    rule = rung(PolicyKind.BASELINE, 0, 0).model_copy(update={"metrics": ((4.0,) * 5,), "rewards": (4.0,) * 5})
    metric = design(HIGHER).metrics[0]
    assert shown_episode(metric, [ours, rule]) == 4  # of +5, +2, +1 and +3 (not -3) the upper one in the middle


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
