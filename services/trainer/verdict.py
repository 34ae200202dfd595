"""The verdict: what was learned, from the ladder's episodes and the evaluations. Pure: no clock, no network, no chance.

In order: REWARD_HACKED, UNSTABLE, LEARNED, UNDERTRAINED, NO_BETTER_THAN_BASELINE. UNSTABLE takes three
seeds, and one was trained, so it is never given here; the reason says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kit.contracts.design import Direction, EnvDesign, Metric
from kit.contracts.outcomes import Evaluation, Interval, PolicyKind, Verdict, VerdictKind
from services.trainer import curves, intervals
from services.trainer.inside.payloads import PolicyEpisodes

ONE_SEED: Final = "One training seed was run, so whether other seeds agree is not known."


@dataclass(frozen=True)
class Contest:
    """The trained policy against the best of the others by the primary metric, seed by seed.

    better: by how much it is better on the metric; positive is better, whichever way the metric points.
    paid: how much more reward it gets.
    """

    metric: Metric
    trained: PolicyEpisodes
    best: PolicyEpisodes
    better: Interval
    paid: Interval


def verdict(design: EnvDesign, policies: Sequence[PolicyEpisodes], evaluations: Sequence[Evaluation] = ()) -> Verdict:
    """policies: all rungs of the ladder, on the same seeds, the trained one among them."""
    contest = _contest(design.metrics[0], policies)
    if contest is None:
        return _incomparable(design.metrics[0])
    if contest.paid.low > 0 and contest.better.high < 0:
        return _hacked(contest, _by_ladder(design, contest))
    beats = contest.better.low > 0
    sign = _sign(contest.metric)
    if not beats and (apart := curves.parted(evaluations, contest.metric.name, sign)) is not None:
        return _hacked(contest, _by_curve(contest.metric, *apart))
    if beats:
        return Verdict(kind=VerdictKind.LEARNED, reason=f"{_score(contest)} {ONE_SEED}")
    if curves.still_rising(evaluations):
        return _undertrained(contest, evaluations)
    return Verdict(
        kind=VerdictKind.NO_BETTER_THAN_BASELINE,
        reason=f"{_score(contest)} The reward no longer rises. {ONE_SEED}",
        remedy=f"Use {contest.best.policy}; or give the agent what it lacks: an observation that matters, a reward "
        "nearer to the metric, other hyperparameters.",
    )


def _contest(metric: Metric, policies: Sequence[PolicyEpisodes]) -> Contest | None:
    """None where the metric has no value to compare by."""
    trained = next(one for one in policies if one.kind is PolicyKind.TRAINED)
    sign = _sign(metric)
    rated = [
        (sign * mean.mean, one)
        for one in policies
        if one.kind is not PolicyKind.TRAINED and (mean := intervals.of_mean(one.metrics[0])) is not None
    ]
    if not rated:
        return None
    best = max(rated, key=lambda pair: pair[0])[1]
    difference = intervals.of_difference(trained.metrics[0], best.metrics[0])
    paid = intervals.of_difference(trained.rewards, best.rewards)
    if difference is None or paid is None:
        return None
    return Contest(metric, trained, best, _turned(difference, sign), paid)


def _hacked(contest: Contest, how: str) -> Verdict:
    return Verdict(
        kind=VerdictKind.REWARD_HACKED,
        reason=f"{how} {_score(contest)} {ONE_SEED}",
        remedy=f"Pay for {contest.metric.name} itself, or bound the component that can be earned without it.",
    )


def _by_ladder(design: EnvDesign, contest: Contest) -> str:
    """The rewards against each other, and the component that makes the difference."""
    gains = {
        component.name: sum(ours) / len(ours) - sum(theirs) / len(theirs)
        for component, ours, theirs in zip(
            design.reward, contest.trained.components, contest.best.components, strict=True
        )
    }
    name = max(gains, key=lambda one: gains[one])
    gain = f"{'+' if gains[name] > 0 else ''}{_number(gains[name])}"
    return (
        f"The trained policy gets {_number(contest.paid.mean)} more reward an episode than {contest.best.policy} "
        f"({_range(contest.paid)}), most of it from {name} ({gain}), and is worse at what is wanted."
    )


def _by_curve(metric: Metric, gained: float, lost: float) -> str:
    return (
        f"While it trained, the reward rose by {_number(gained)} and {metric.name} got worse by {_number(lost)}, "
        "from the first to the last third of the evaluations."
    )


def _undertrained(contest: Contest, evaluations: Sequence[Evaluation]) -> Verdict:
    trained = evaluations[-1].timesteps
    return Verdict(
        kind=VerdictKind.UNDERTRAINED,
        reason=f"{_score(contest)} The reward was still rising when training stopped at {trained} steps. {ONE_SEED}",
        remedy=f"Train longer: {2 * trained} steps, say.",
    )


def _incomparable(metric: Metric) -> Verdict:
    return Verdict(
        kind=VerdictKind.NO_BETTER_THAN_BASELINE,
        reason=f"The primary metric {metric.name} has no value in any episode that could be compared. {ONE_SEED}",
        remedy=f"Define {metric.name} so that every episode has a value; a ratio needs a denominator above zero.",
    )


def _score(contest: Contest) -> str:
    """The two numbers and their difference, in a sentence."""
    metric = contest.metric
    ours, theirs = (intervals.of_mean(one.metrics[0]) for one in (contest.trained, contest.best))
    assert ours is not None
    assert theirs is not None
    unit = "" if metric.unit == "1" else f" {metric.unit}"
    word = "better" if contest.better.mean >= 0 else "worse"
    size = _turned(contest.better, 1.0 if contest.better.mean >= 0 else -1.0)
    wanted = "higher" if metric.direction is Direction.HIGHER else "lower"
    return (
        f"On {len(contest.trained.rewards)} test seeds the trained policy has {metric.name} {_number(ours.mean)}{unit} "
        f"and the best of the others, {contest.best.policy}, {_number(theirs.mean)}{unit} ({wanted} is better): "
        f"{word} by {_number(size.mean)} ({_range(size)})."
    )


def _sign(metric: Metric) -> float:
    return 1.0 if metric.direction is Direction.HIGHER else -1.0


def _turned(interval: Interval, sign: float) -> Interval:
    """The interval of the negative where sign is -1."""
    if sign > 0:
        return interval
    return Interval(mean=-interval.mean, low=-interval.high, high=-interval.low)


def _number(value: float) -> str:
    """Four digits are enough to decide by, and never 1.074e+04."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _range(interval: Interval) -> str:
    return f"95 % interval {_number(interval.low)} to {_number(interval.high)}"
