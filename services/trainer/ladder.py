"""From episodes to the ladder's rows: means with intervals, in the design's order."""

from __future__ import annotations

from kit.contracts.design import EnvDesign
from kit.contracts.outcomes import Ladder, LadderRow, NamedInterval, NamedNumber, PolicyKind
from services.trainer import intervals
from services.trainer.inside.payloads import LadderClaim, PolicyEpisodes


def is_complete(design: EnvDesign, measured: LadderClaim) -> bool:
    """Whether every policy has the same episodes, and a value, or its absence, for all that the design names."""
    kinds = [one.kind for one in measured.policies]
    episodes = {len(measured.policies[0].rewards)} if measured.policies else set()
    return (
        kinds.count(PolicyKind.TRAINED) == 1
        and len(kinds) == len(design.baselines) + 3
        and episodes != {0}
        and all(
            len(one.metrics) == len(design.metrics)
            and len(one.components) == len(design.reward)
            and {len(column) for column in (one.rewards, *one.metrics, *one.components)} == episodes
            for one in measured.policies
        )
    )


def ladder_of(design: EnvDesign, measured: LadderClaim) -> Ladder:
    return Ladder(rows=tuple(_row(design, one) for one in measured.policies), first_seed=measured.first_seed)


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
    )
