"""Incentives: what the rewards of whole episodes give away where no design says what is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Trajectories, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import hovering
from services.executor.inside.groups.walking import action_object
from services.executor.inside.subject import Subject

HOVER_STEPS = 60
CHOICES = 8

TIMEOUT_PAID = define(
    "reward.timeout_paid",
    proves="Running out of time does not pay what success pays.",
    example="reward = 1.0 if done else 0.0  # done by the clock, too",
    remedy="Pay for the goal itself: reward = 1.0 if reached else 0.0.",
)
LOITERING = define(
    "probe.loitering",
    proves="Nearly finishing, again and again, does not pay more than finishing.",
    example="reward = 2.0 if reached else (0.5 if near else 0.0)  # and reached ends the episode",
    remedy="Pay for getting nearer, not for being near (the difference of a potential), or let the end pay far more.",
    blame=Blame.DESIGN,
)


@dataclass(frozen=True)
class Paid:
    """Rewards of the steps that ended an episode, by how, and of all others."""

    terminated: np.ndarray
    truncated: np.ndarray
    others: np.ndarray


def check_incentives(subject: Subject) -> Iterator[Finding]:
    """With a design, its components, metrics and baselines tell more."""
    if subject.design is not None or not subject.played:
        return
    paid = _paid(list(subject.played.values()))
    if not len(paid.terminated) or not len(paid.others):
        return
    yield from _check_timeout(subject, paid)
    yield from _check_loitering(subject, paid)


def _paid(every: list[Trajectories]) -> Paid:
    ends = [(played.terminated, played.truncated & ~played.terminated, played.rewards) for played in every]
    return Paid(
        np.concatenate([rewards[terminated] for terminated, _, rewards in ends]),
        np.concatenate([rewards[truncated] for _, truncated, rewards in ends]),
        np.concatenate([rewards[~terminated & ~truncated] for terminated, truncated, rewards in ends]),
    )


def _check_timeout(subject: Subject, paid: Paid) -> Iterator[Finding]:
    """One number pays every end, by goal or by clock, and nothing else comes near it."""
    if len(paid.truncated) < 5:
        return
    bonus = float(paid.truncated[0])
    alike = np.ptp(np.concatenate([paid.terminated, paid.truncated])) < 1e-9
    if alike and bonus > 0 and bonus > paid.others.max() + 0.05 * bonus:
        yield TIMEOUT_PAID.warning(
            f"episodes that run out of time are paid {bonus:g} in their last step, as those that terminate are",
            evidence=f"{len(paid.truncated)} truncated and {len(paid.terminated)} terminated episodes; other steps pay "
            f"{paid.others.max():g} at most",
            line=subject.line_of_return("step"),
        )


def _check_loitering(subject: Subject, paid: Paid) -> Iterator[Finding]:
    """Where the end pays best of all and something before it pays too: stay there instead of finishing."""
    most, bonus = float(paid.others.max()), float(np.median(paid.terminated))
    if not 0 < most < bonus or most * HOVER_STEPS < 2 * bonus or not subject.action.numeric:
        return
    rows = subject.action.sample(subject.rng("loitering"), CHOICES)
    choices = [action_object(subject.action, row) for row in rows]
    if subject.action.kind == "Discrete":
        first, last = int(subject.action.low), int(subject.action.high)
        choices = [np.int64(action) for action in range(first, min(last, first + CHOICES - 1) + 1)]
    seed, before = _way_to(subject, most)
    steps = min(HOVER_STEPS, subject.affordable(HOVER_STEPS))
    with subject.start() as candidate:
        answer = candidate.probe(
            f"{hovering.__name__}.hover", env=0, seconds=8.0, seed=seed, before=before, choices=choices, steps=steps
        )
    if not isinstance(answer, Value):
        return
    earned, taken = answer.get("paid"), answer.get("steps")
    if earned is None or taken is None or not isinstance(earned.plain, float):
        return
    if earned.plain > 2 * bonus:
        yield LOITERING.warning(
            f"staying close to the end pays {earned.plain:.4g} in {taken.plain} steps, ending the episode {bonus:.4g}",
            evidence=f"seed {seed}, {len(before)} steps to a reward of {most:.4g}, then the best choice that goes on",
            line=subject.line_of_return("step"),
        )


def _way_to(subject: Subject, reward: float) -> tuple[int, list[object]]:
    """Seed and actions of the shortest recorded way to a step that pays this and ends nothing."""
    best: tuple[int, int, list[object]] | None = None
    for played in subject.played.values():
        there = (played.rewards >= reward) & ~played.terminated & ~played.truncated
        for row in np.flatnonzero(there)[:50]:
            steps, episode = int(played.step[row]) + 1, int(played.episode[row])
            if best is None or steps < best[0]:
                rows = played.actions[played.rows_of(episode)][:steps]
                way = [action_object(subject.action, action) for action in rows]
                best = steps, int(played.seeds[episode]), way
    assert best is not None  # `reward` is the largest of exactly these
    return best[1], best[2]
