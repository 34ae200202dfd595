"""Limits: that what ends by the clock is called truncated, what ends otherwise terminated, and when that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kit.contracts.findings import Blame, Finding
from services.executor.inside.catalogue import define
from services.executor.inside.subject import Subject

FITTED = 6000  # rows that a straight line is drawn through

TIMEOUT = define(
    "episode.timeout",
    proves="Running out of time is reported as truncated, not as terminated.",
    example="return obs, reward, self.t >= self.max_steps, False, {}",
    remedy="Return truncated=True at the step limit and terminated=False; or let the agent see how much time is left.",
    blame=Blame.DESIGN,
)
CUT_SHORT = define(
    "episode.cut_short",
    proves="Reaching the goal, or failing, is reported as terminated, not as truncated.",
    example="return obs, 10.0 if reached else -0.1, False, reached or self.t >= 200, {}",
    remedy="Return terminated=True where the task itself is over, and truncated=True only where time has run out.",
)
OFF_BY_ONE = define(
    "episode.limit_attribute",
    proves="Episodes are as long as the environment's own limit says.",
    example="truncated = self.t >= self.max_steps - 1",
    remedy="Count the step first, then compare: self.t += 1; truncated = self.t >= self.max_steps.",
)


@dataclass(frozen=True)
class Ends:
    """Of the episodes that ended: how long each was, whether it was truncated, and what its last step paid.

    others: what all other steps paid.
    """

    lengths: np.ndarray
    cut: np.ndarray
    paid: np.ndarray
    others: np.ndarray


def check_limits(subject: Subject) -> Iterator[Finding]:
    """With a design, its endings and its step limit decide."""
    if subject.design is not None or not subject.played:
        return
    ends = _ends(subject)
    if len(ends.lengths) < 10 or ends.lengths.max() == 1:
        return
    yield from _check_timeout(subject, ends)
    yield from _check_cut_short(subject, ends)
    yield from _check_limit(subject, ends)


def _ends(subject: Subject) -> Ends:
    """Of everything that was played, and of what was climbed."""
    lengths, cut, paid, others = [], [], [], []
    for played in subject.played.values():
        last = played.terminated | played.truncated
        lengths += (played.step[last] + 1).tolist()
        cut += (played.truncated & ~played.terminated)[last].tolist()
        paid += played.rewards[last].tolist()
        others += played.rewards[~last].tolist()
    for climb in subject.climbs:
        others += climb.rewards[:-1]
        if climb.terminated or climb.truncated:
            lengths.append(len(climb.rewards))
            cut.append(climb.truncated and not climb.terminated)
            paid.append(climb.rewards[-1])
    return Ends(np.array(lengths), np.array(cut, dtype=bool), np.array(paid), np.array(others))


def _check_timeout(subject: Subject, ends: Ends) -> Iterator[Finding]:
    """A limit is where episodes of very different policies pile up although they end as terminated."""
    longest = int(ends.lengths.max())
    at_longest = ends.lengths == longest
    if ends.cut[at_longest].any():
        return
    share = float(at_longest.mean())
    named = longest in subject.attributes.values() and share > 0.1 and at_longest.sum() >= 5
    if longest >= 8 and (share > 0.6 or named) and not _sees_time(subject):
        often = "every episode ends" if share == 1 else f"{share:.0%} of the episodes end"
        yield TIMEOUT.warning(
            f"{often} at exactly {longest} steps with terminated=True, whatever is done, and the observation does not "
            f"tell the time",
            line=subject.line_of_return("step"),
        )


def _sees_time(subject: Subject) -> bool:
    """Whether the observation tells the step: by one feature alone, or by all together in a straight line."""
    return _told_by_one(subject) or _told_by_all(subject)


def _told_by_one(subject: Subject) -> bool:
    """Whether some feature of the observation is a strictly monotonic function of the step alone."""
    for played in subject.played.values():
        values, steps = played.next_observations, played.step
        for column in range(min(values.shape[1], 200)):
            by_step = [values[steps == step, column] for step in range(int(steps.max()) + 1)]
            if all(np.ptp(group) < 1e-6 for group in by_step if len(group)):
                means = np.array([group[0] for group in by_step if len(group)])
                if len(means) > 3 and (np.all(np.diff(means) > 0) or np.all(np.diff(means) < 0)):
                    return True
        return False
    return False


def _told_by_all(subject: Subject) -> bool:
    """A straight line through one half of the episodes that gives the step in the other half, too."""
    played = subject.played.get("random")
    if played is None or not 0 < played.next_observations.shape[1] <= 200:
        return False
    values = np.column_stack([played.next_observations, np.ones(played.rows)])[:FITTED]
    steps, odd = played.step[:FITTED].astype(np.float64), played.episode[:FITTED] % 2 == 1
    if min(odd.sum(), (~odd).sum()) < values.shape[1] or not np.isfinite(values).all():
        return False
    line, *_ = np.linalg.lstsq(values[odd], steps[odd], rcond=None)
    off = steps[~odd] - values[~odd] @ line
    return bool(np.mean(off**2) < 0.02 * np.var(steps[~odd]))


def _check_cut_short(subject: Subject, ends: Ends) -> Iterator[Finding]:
    """Truncated at no fixed step, and paid as no other step is: that is a goal or a failure, not the clock."""
    if not ends.cut.any():
        return
    limit = int(ends.lengths[ends.cut].max())
    early = ends.cut & (ends.lengths < limit)
    if early.sum() < 3 or len(np.unique(ends.lengths[early])) < 2 or not len(ends.others):
        return
    paid, low, high = ends.paid[early], float(ends.others.min()), float(ends.others.max())
    margin = 0.05 * max(1.0, abs(low), abs(high))
    what = "well" if paid.min() > high + margin else "badly" if paid.max() < low - margin else ""
    if what:
        yield CUT_SHORT.warning(
            f"{early.sum()} episodes are truncated before the limit of {limit} steps, and their last step is paid as "
            f"{what} as no other ({paid[0]:.4g}): the task is over, and that is terminated",
            evidence=f"lengths {np.unique(ends.lengths[early])[:6].tolist()}; others pay {low:.4g} to {high:.4g}",
            line=subject.line_of_return("step"),
        )


def _check_limit(subject: Subject, ends: Ends) -> Iterator[Finding]:
    """Truncated one step beside a number that the environment itself calls its limit."""
    cut = set(ends.lengths[ends.cut].tolist())
    if len(cut) != 1 or ends.cut.sum() < 2:
        return
    length = cut.pop()
    limits = {name: int(value) for name, value in subject.attributes.items()}
    if length in limits.values():
        return
    for name, limit in limits.items():
        if abs(limit - length) == 1:
            yield OFF_BY_ONE.warning(
                f"episodes are truncated after {length} steps, {name} says {limit}", line=subject.line_of_return("step")
            )
            return
