"""Incentives: what the rewards of whole episodes give away where no design says what is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Trajectories, Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import hovering, trying
from services.executor.inside.groups.walking import action_object
from services.executor.inside.subject import Climb, Subject

HOVER_STEPS = 60
CHOICES = 8
CLIMBS = 6
CLIMB_STEPS = 400

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


def check_climbs(subject: Subject) -> Iterator[Finding]:
    """Plays greedily, which gets to goals that chance never reaches; later checks read subject.climbs."""
    if subject.design is None and subject.played and (choices := choices_of(subject)):
        longest = min(CLIMB_STEPS, subject.affordable(CLIMB_STEPS))
        with subject.start() as candidate:
            answer = candidate.probe(
                f"{trying.__name__}.climb", env=0, seconds=10.0,
                seeds=list(range(31, 31 + CLIMBS)), choices=choices, steps=longest, budget_s=1.2,
            )  # fmt: skip
        subject.climbs = (
            [climb for item in answer.items if (climb := _climb(item))] if isinstance(answer, Value) else []
        )
    yield from ()


def _climb(item: Value) -> Climb | None:
    rewards, terminated, truncated = (item.get(name) for name in ("rewards", "terminated", "truncated"))
    paid = [one.plain for one in rewards.items if isinstance(one.plain, float)] if rewards is not None else []
    if not paid or terminated is None or truncated is None:
        return None
    return Climb(paid, terminated.plain is True, truncated.plain is True)


def choices_of(subject: Subject, most: int = CHOICES) -> list[object]:
    """A few actions of every kind: the first choices, or corners of a vector and some at random."""
    space = subject.action
    if not space.numeric:
        return []
    if space.kind == "Discrete":
        return [np.int64(a) for a in range(int(space.low), min(int(space.high), int(space.low) + most - 1) + 1)]
    low, high = space.finite if space.kind == "Box" else (np.asarray(space.low), np.asarray(space.high))
    rows = [low, high, *space.sample(subject.rng("choices"), most - 2)]
    return [action_object(space, row) for row in rows]


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
    # Of choices that pay alike the first is taken, and whoever wants to stay does least.
    choices = [*_stillness(subject), *choices_of(subject)]
    if not 0 < most < bonus or most * HOVER_STEPS < 2 * bonus or not choices:
        return
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


def _stillness(subject: Subject) -> list[object]:
    """Zero as far as the bounds allow, where an action is numbers."""
    if subject.action.kind != "Box":
        return []
    return [action_object(subject.action, np.clip(0.0, *subject.action.finite))]


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
