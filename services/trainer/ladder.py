"""From episodes to the ladder's rows: means with intervals, in the design's order."""

from __future__ import annotations

from kit.contracts.design import EnvDesign
from kit.contracts.outcomes import Ladder, LadderRow, NamedInterval, NamedNumber, PolicyKind
from services.trainer import intervals
from services.trainer.inside.payloads import MOST_DRAWN, RANDOMISED, LadderClaim, PolicyEpisodes


def is_complete(design: EnvDesign, measured: LadderClaim, episodes: int, validation: int) -> bool:
    """Whether every policy has its episodes, and a value, or its absence, for all that the design names."""
    if len(measured.validation) != validation:
        return False
    kinds = [one.kind for one in measured.policies]
    once = (PolicyKind.IDLE, PolicyKind.RANDOM, PolicyKind.CONSTANT, PolicyKind.TRAINED)
    if episodes == 0:
        return not kinds
    return (
        all(kinds.count(kind) == 1 for kind in once)
        and kinds.count(PolicyKind.BASELINE) == len(design.baselines)
        and kinds.count(PolicyKind.HALF_TRAINED) <= 1
        and all(
            len(one.metrics) == len(design.metrics)
            and len(one.components) == len(design.reward)
            and {len(column) for column in (one.rewards, *one.metrics, *one.components)} == {episodes}
            for one in measured.policies
        )
        and _fits_the_ranges(design, measured, episodes)
    )


def _fits_the_ranges(design: EnvDesign, measured: LadderClaim, episodes: int) -> bool:
    """Whether those that play with drawn parameters did so, and nobody where nothing is drawn."""
    if not any(parameter.ranged for parameter in design.parameters):
        return not measured.randomised
    wanted = [one.policy for one in measured.policies if one.kind in RANDOMISED]
    return [one.policy for one in measured.randomised] == wanted and all(
        (len(one.metrics), len(one.components)) == (len(design.metrics), len(design.reward))
        and {len(column) for column in (one.rewards, *one.metrics, *one.components)} == {min(episodes, MOST_DRAWN)}
        for one in measured.randomised
    )


def ladder_of(design: EnvDesign, measured: LadderClaim) -> Ladder:
    return Ladder(
        rows=tuple(_row(design, one) for one in measured.policies),
        first_seed=measured.first_seed,
        randomised=tuple(_row(design, one) for one in measured.randomised),
    )


def _row(design: EnvDesign, one: PolicyEpisodes) -> LadderRow:
    reward = intervals.of_mean(one.rewards)
    assert reward is not None  # an episode always has a reward
    return LadderRow(
        policy=one.policy,
        kind=one.kind,
        episodes=len(one.rewards),
        reward=reward,
        # A metric without a value in any episode is left out.
        metrics=tuple(
            NamedInterval(name=metric.name, interval=interval)
            for metric, values in zip(design.metrics, one.metrics, strict=True)
            if (interval := intervals.of_mean(values)) is not None
        ),
        components=tuple(
            NamedNumber(name=component.name, value=sum(values) / len(values))
            for component, values in zip(design.reward, one.components, strict=True)
        ),
        primary_iqm=intervals.of_iqm([one.metrics[0]]),
    )
