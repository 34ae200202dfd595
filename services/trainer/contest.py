"""The contest: the trained policy against the best of the others, seed by seed, and what explains the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kit.contracts.design import Direction, EnvDesign, Metric
from kit.contracts.outcomes import ComponentShare, Interval
from services.trainer import intervals
from services.trainer.inside.contests import best_other, sign_of, trained_of
from services.trainer.inside.payloads import PolicyEpisodes


@dataclass(frozen=True)
class Contest:
    """The trained policy against another by the primary metric, seed by seed.

    better: by how much it is better on the metric; positive is better, whichever way the metric points.
    paid: how much more reward it gets.
    """

    metric: Metric
    trained: PolicyEpisodes
    other: PolicyEpisodes
    better: Interval
    paid: Interval

    @property
    def beats(self) -> bool:
        return self.better.low > 0

    @property
    def hacks(self) -> bool:
        """More reward and worse at what is wanted, both surely."""
        return self.paid.low > 0 and self.better.high < 0


def against_the_best(metric: Metric, policies: Sequence[PolicyEpisodes]) -> Contest | None:
    """None where the metric has no value to compare by."""
    best = best_other(metric, policies)
    return None if best is None else between(metric, trained_of(policies), best)


def between(metric: Metric, trained: PolicyEpisodes, other: PolicyEpisodes) -> Contest | None:
    difference = intervals.of_difference(trained.metrics[0], other.metrics[0])
    paid = intervals.of_difference(trained.rewards, other.rewards)
    if difference is None or paid is None:
        return None
    return Contest(metric, trained, other, _turned(difference, sign_of(metric)), paid)


def gains(design: EnvDesign, contest: Contest) -> dict[str, float]:
    """What each weighted component gives the trained policy more an episode than the other."""
    return {
        component.name: sum(ours) / len(ours) - sum(theirs) / len(theirs)
        for component, ours, theirs in zip(
            design.reward, contest.trained.components, contest.other.components, strict=True
        )
    }


def changes(shares: Sequence[ComponentShare]) -> dict[str, float]:
    """What each component added more at the end of the training than at its start."""
    return {share.name: share.last - share.first for share in shares}


def most(moved: dict[str, float]) -> str:
    """The component that rose most; empty where none did."""
    name = max(moved, key=lambda one: moved[one], default="")
    return name if name and moved[name] > 0 else ""


def largest(moved: dict[str, float]) -> str:
    """The component that moved most, up or down; empty where none did."""
    name = max(moved, key=lambda one: abs(moved[one]), default="")
    return name if name and moved[name] else ""


def score(contest: Contest) -> str:
    """The two numbers and their difference, in a sentence."""
    metric = contest.metric
    ours, theirs = (intervals.of_mean(one.metrics[0]) for one in (contest.trained, contest.other))
    assert ours is not None
    assert theirs is not None
    unit = "" if metric.unit == "1" else f" {metric.unit}"
    size = _turned(contest.better, 1.0 if contest.better.mean >= 0 else -1.0)
    word = "better" if contest.better.mean >= 0 else "worse"
    apart = f"{word} by {number(size.mean)} ({span(size)})" if size.low or size.high else "the same on every seed"
    wanted = "higher" if metric.direction is Direction.HIGHER else "lower"
    return (
        f"On {len(contest.trained.rewards)} test seeds the trained policy has {metric.name} {number(ours.mean)}{unit} "
        f"and the best of the others, {contest.other.policy}, {number(theirs.mean)}{unit} ({wanted} is better): "
        f"{apart}."
    )


def number(value: float) -> str:
    """Four digits are enough to decide by, and never 1.074e+04."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{number(value)}"


def span(interval: Interval) -> str:
    return f"95 % interval {number(interval.low)} to {number(interval.high)}"


def _turned(interval: Interval, sign: float) -> Interval:
    """The interval of the negative where sign is -1."""
    if sign > 0:
        return interval
    return Interval(mean=-interval.mean, low=-interval.high, high=-interval.low)
