"""Episodes: how they end, and that the end is what the caller gets to see."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import probing
from services.executor.inside.groups.replaying import actions_for
from services.executor.inside.subject import Subject

RESETS_ITSELF = define(
    "episode.resets_itself",
    proves="step() does not call reset(): the last observation of an episode is the one that ended it.",
    example="if terminated: self.reset()",
    remedy="Return the final observation and leave reset() to the caller.",
)
TIMEOUT = define(
    "episode.timeout",
    proves="Running out of time is reported as truncated, not as terminated.",
    example="return obs, reward, self.t >= self.max_steps, False, {}",
    remedy="Return truncated=True at the step limit and terminated=False; or let the agent see how much time is left.",
    blame=Blame.DESIGN,
)
OFF_BY_ONE = define(
    "episode.limit_attribute",
    proves="Episodes are as long as the environment's own limit says.",
    example="truncated = self.t >= self.max_steps - 1",
    remedy="Count the step first, then compare: self.t += 1; truncated = self.t >= self.max_steps.",
)
BOTH_FLAGS = define(
    "episode.both_flags",
    proves="An episode that reached a terminal state is not called cut short as well.",
    example="truncated = terminated or self.t >= 200",
    remedy="Return truncated = self.t >= limit and not terminated.",
)
FIRST_STEP = define(
    "episode.one_step",
    proves="Not every episode is over after its first step.",
    example="terminated = True",
    remedy="Return terminated=True only in a terminal state.",
)
RUNNING_TOTAL = define(
    "reward.running_total",
    proves="The reward is that of the step, not the sum so far.",
    example="self.total += reward; return obs, self.total, ...",
    remedy="Return the reward of this step alone; put the total into info.",
)


def check_resets_itself(subject: Subject) -> Iterator[Finding]:
    """Counts calls of reset() inside step()."""
    actions = actions_for(subject, "resets itself", subject.affordable(800))
    with subject.start() as candidate:
        answer = candidate.probe(f"{probing.__name__}.resets_itself", env=0, seed=3, actions=actions)
    if isinstance(answer, Value) and isinstance(answer.plain, int) and answer.plain >= 0:
        yield RESETS_ITSELF.error(
            "step() calls reset() when the episode ends: the observation it returns belongs to a new episode",
            evidence=f"seed 3, random actions, step {answer.plain}",
            line=subject.line_of("step"),
        )


def check_lengths(subject: Subject) -> Iterator[Finding]:
    """Lengths of the finished episodes of every policy: against time, and against the environment's own limit."""
    lengths, truncated, terminated = [], [], []
    for played in subject.played.values():
        for episode in np.flatnonzero(played.ended):
            last = played.rows_of(int(episode)).stop - 1
            lengths.append(int(played.step[last]) + 1)
            truncated.append(bool(played.truncated[last]))
            terminated.append(bool(played.terminated[last]))
    if len(lengths) < 10:
        return
    if max(lengths) == 1:
        yield FIRST_STEP.warning("every episode is over after its first step", line=subject.line_of_return("step"))
        return
    if sum(terminated) >= 3 and all(cut for cut, over in zip(truncated, terminated, strict=True) if over):
        yield BOTH_FLAGS.warning(
            "every episode that terminates is reported as truncated, too", line=subject.line_of_return("step")
        )
    if subject.design is None:
        yield from _check_timeout(subject, lengths, truncated)
        yield from _check_limit(subject, lengths, truncated)


def _check_timeout(subject: Subject, lengths: list[int], truncated: list[bool]) -> Iterator[Finding]:
    """A limit is where episodes of very different policies pile up although they end as terminated."""
    if any(truncated):
        return
    longest = max(lengths)
    share = np.mean([length == longest for length in lengths])
    named = longest in subject.attributes.values() and share > 0.1 and lengths.count(longest) >= 5
    if longest >= 8 and (share > 0.6 or named) and not _sees_time(subject):
        often = "every episode ends" if share == 1 else f"{share:.0%} of the episodes end"
        yield TIMEOUT.warning(
            f"{often} at exactly {longest} steps with terminated=True, whatever is done, and the observation does not "
            f"tell the time",
            line=subject.line_of_return("step"),
        )


def _sees_time(subject: Subject) -> bool:
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


def _check_limit(subject: Subject, lengths: list[int], truncated: list[bool]) -> Iterator[Finding]:
    """Truncated one step beside a number that the environment itself calls its limit."""
    cut = {length for length, was_cut in zip(lengths, truncated, strict=True) if was_cut}
    if len(cut) != 1 or sum(truncated) < 5:
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


def check_running_total(subject: Subject) -> Iterator[Finding]:
    """Finds the attribute that is returned as reward, and shifts it."""
    if subject.design is not None:
        return  # there the components' formulas decide
    name: object = ""
    with subject.start() as candidate:
        for seed in (3, 4):
            actions = actions_for(subject, f"running total {seed}", 4)
            answer = candidate.probe(f"{probing.__name__}.accumulates", env=0, seed=seed, actions=actions)
            if not isinstance(answer, Value) or not answer.plain:
                return
            name = answer.plain
    yield RUNNING_TOTAL.error(
        f"the reward is a running total (self.{name}): each step returns the sum so far",
        evidence="raising the attribute by 64 raises the next reward by 64",
        line=subject.line_of_return("step"),
    )
