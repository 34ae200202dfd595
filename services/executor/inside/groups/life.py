"""Life signs: an observation, component or ending that nothing ever moves. These are notes: they teach."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Blame, Finding
from kit.inside.candidate import Value
from services.executor.inside.catalogue import define
from services.executor.inside.groups import trying
from services.executor.inside.groups.bounds import flat_limits
from services.executor.inside.groups.incentives import choices_of
from services.executor.inside.groups.nothing import cut_to_whole, pays_nothing
from services.executor.inside.subject import Subject

STILL_OBSERVATION = define(
    "life.observation",
    proves="Every feature of the observation takes different values in different steps or episodes.",
    example="np.array([self.x, 0.0], np.float32)",
    remedy="Leave the feature out, or compute what it should show.",
)
STILL_COMPONENT = define(
    "life.component",
    proves="Every reward component takes different values under different policies.",
    example="shortage = 0.0  # demand never exceeds the stock",
    remedy="Check the parameters: no policy tried ever moves this component.",
    blame=Blame.DESIGN,
)
STILL_REWARD = define(
    "life.reward",
    proves="Some policy gets another return than another.",
    example="reward = 0.0",
    remedy="Make the reward depend on what happens.",
)
ENDING_UNREACHED = define(
    "life.ending",
    proves="Every ending is reached by some policy.",
    example="an ending at a temperature that the dynamics never reach",
    remedy="Check the threshold; an ending that needs skill may be reached only by a trained policy.",
    blame=Blame.DESIGN,
)
FEW_FEATURES = 20  # of more, some are there for others of their kind


def _never_paid(subject: Subject) -> Iterator[Finding]:
    """Nothing was ever paid: by mistake, or because the one thing that pays is hard to reach."""
    line = subject.line_of_return("step")
    if subject.tree is not None and pays_nothing(subject.tree):
        yield STILL_REWARD.warning("the reward is 0 in every branch of step()", line=line)
        return
    choices = choices_of(subject)
    with subject.start() as candidate:
        answer = candidate.probe(
            f"{trying.__name__}.explore", env=0, seconds=10.0, seed=1, choices=choices, budget_s=4.0
        )
    if not isinstance(answer, Value) or not choices:
        return
    paid, exhausted, seen = (answer.get(name) for name in ("paid", "exhausted", "seen"))
    if paid is not None and paid.plain is False and exhausted is not None and exhausted.plain is True:
        yield STILL_REWARD.warning(
            f"no step pays anything, from all of the {seen} observations that can be reached", line=line
        )
    elif paid is not None and paid.plain is False and subject.tree is not None and cut_to_whole(subject.tree):
        yield STILL_REWARD.warning(
            f"no policy tried was ever paid anything, nor a search through {seen} observations, and the reward is cut "
            f"to a whole number",
            line=line,
        )
    elif paid is not None and paid.plain is False:
        yield STILL_REWARD.note(f"no policy tried was ever paid anything, nor a search through {seen} observations")


def _nought(subject: Subject, values: np.ndarray, still: np.ndarray) -> list[int]:
    """Of the features that never change: those that are 0 where no bound says what they may be."""
    if subject.design is not None or subject.observation.kind != "Box" or subject.observation.size > FEW_FEATURES:
        return []
    low, high = flat_limits(subject.observation)
    return [int(f) for f in still if not values[:, f].any() and low[f] < -1e30 and high[f] > 1e30]


def check_life(subject: Subject) -> Iterator[Finding]:
    """Over everything played."""
    every = list(subject.played.values())
    if not every:
        return
    values = np.concatenate([played.next_observations for played in every])
    if values.shape[1] > 1:
        still = np.flatnonzero(np.ptp(values, axis=0) == 0)
        if len(still) == values.shape[1]:
            yield STILL_OBSERVATION.warning(
                "nothing that is observed ever changes", line=subject.line_of_return("step")
            )
        elif nought := _nought(subject, values, still):
            yield STILL_OBSERVATION.warning(
                f"feature {nought[0]} of the observation is 0 in every step, although its range is unbounded",
                line=subject.line_of_return("step"),
            )
        elif len(still) and values.shape[1] <= 200:
            yield STILL_OBSERVATION.note(f"features {still[:10].tolist()} of the observation never change")
    rewards = np.concatenate([played.rewards for played in every])
    if np.ptp(rewards) == 0 and rewards[0] != 0 and np.ptp(np.concatenate([played.lengths for played in every])) == 0:
        yield STILL_REWARD.warning(
            f"the reward is {rewards[0]:g} in every step of every policy, and every episode is as long",
            line=subject.line_of_return("step"),
        )
    elif np.ptp(rewards) == 0 and rewards[0] == 0 and not any(any(climb.rewards) for climb in subject.climbs):
        yield from _never_paid(subject)
    if subject.design is None:
        return
    for component in subject.design.reward:
        columns = [played.components[component.name] for played in every if component.name in played.components]
        if columns and np.ptp(np.concatenate(columns)) == 0:
            yield STILL_COMPONENT.note(
                f"reward component {component.name} is {columns[0][0]:g} in every step of every policy"
            )
    reached = {name for played in every for name in played.endings if name}
    for ending in subject.design.episode.endings:
        if ending.name not in reached:
            yield ENDING_UNREACHED.note(f"no policy reached the ending {ending.name}")
