"""Probes: whether the order of simple policies by reward agrees with their order by the primary metric."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from kit.contracts.design import Direction
from kit.contracts.findings import Blame, Finding
from services.executor.inside.catalogue import define
from services.executor.inside.groups.design_dynamics import episode_metric
from services.executor.inside.groups.frames import frames
from services.executor.inside.subject import Subject

CLEAR_Z = 4.0  # standard errors between two policies that differ for certain
MARGIN = 0.1  # of the spread between the best and the worst policy

ORDER = define(
    "probe.order",
    proves="Policies that are better by the primary metric are better by the reward.",
    example="a cost weighted so heavily that doing nothing earns more than the rule that serves everybody",
    remedy="Reweight the components so that the reward ranks policies as the primary metric does.",
    blame=Blame.DESIGN,
)
DYING_PAYS = define(
    "probe.dying_pays",
    proves="Failing early does not earn more than carrying on.",
    example="every step costs 1 and falling costs nothing",
    remedy="Make failure cost more than the steps it saves, or pay for staying alive.",
    blame=Blame.DESIGN,
)


def check_order(subject: Subject) -> Iterator[Finding]:
    """Every pair of policies that differ clearly both ways."""
    design = subject.design
    assert design is not None
    primary = design.metrics[0]
    sign = 1.0 if primary.direction is Direction.HIGHER else -1.0
    rewards, metrics = {}, {}
    for frame in frames(subject):
        ended = np.flatnonzero(frame.played.ended)
        values = np.array([episode_metric(frame, primary.name, int(episode)) for episode in ended])
        if len(ended) >= 5 and np.isfinite(values).all():
            metrics[frame.policy] = sign * values
            rewards[frame.policy] = frame.played.returns[ended]
    if len(rewards) < 2:
        return
    spans = [np.ptp([values.mean() for values in table.values()]) for table in (rewards, metrics)]
    for one, other in combinations(rewards, 2):
        by_reward = _apart(rewards[one], rewards[other], float(spans[0]))
        by_metric = _apart(metrics[one], metrics[other], float(spans[1]))
        if by_reward * by_metric < 0:
            better, worse = (one, other) if by_metric > 0 else (other, one)
            yield ORDER.warning(
                f"{better} beats {worse} by {primary.name} and loses by reward",
                evidence=f"{primary.name}: {_versus(metrics, better, worse, sign)}; "
                f"return: {_versus(rewards, better, worse)}",
            )


def _versus(table: dict[str, np.ndarray], one: str, other: str, sign: float = 1.0) -> str:
    return f"{sign * table[one].mean():.5g} against {sign * table[other].mean():.5g}"


def _apart(one: np.ndarray, other: np.ndarray, span: float) -> int:
    """1 or -1 where the means differ clearly and by a share of the span that matters, else 0."""
    gap = float(one.mean() - other.mean())
    error = float(np.sqrt(one.var() / len(one) + other.var() / len(other)))
    return int(np.sign(gap)) if abs(gap) > CLEAR_Z * error and abs(gap) > MARGIN * span else 0


def check_dying(subject: Subject) -> Iterator[Finding]:
    """Episodes that end early in failure against those of the policies that last."""
    design = subject.design
    assert design is not None
    failures = {ending.name for ending in design.episode.endings if not ending.success}
    if not failures:
        return
    failed: list[float] = []
    lasted: list[float] = []
    for played in subject.played.values():
        for episode in np.flatnonzero(played.ended):
            rows = played.rows_of(int(episode))
            early = played.endings[rows.stop - 1] in failures and rows.stop - rows.start < design.episode.step_limit / 4
            (failed if early else lasted).append(float(played.rewards[rows].sum()))
    if len(failed) >= 8 and len(lasted) >= 8 and np.percentile(failed, 25) > np.percentile(lasted, 90):
        yield DYING_PAYS.warning(
            f"episodes that fail early return {np.mean(failed):.4g} on average, those that last {np.mean(lasted):.4g}",
            evidence=f"{len(failed)} and {len(lasted)} episodes",
        )
