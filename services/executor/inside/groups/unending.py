"""Unending: what the usual policies' ends hide, an agent that need never come to one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from kit.contracts.findings import Finding
from kit.inside.candidate import Trajectories
from services.executor.inside.groups.bounds import NEVER_ENDS
from services.executor.inside.groups.names import compared
from services.executor.inside.subject import Subject

FEWEST_CUT = 3
TIMES_LONGER = 3
_STEPS = re.compile(r"(max|limit|total|episode)\w*steps?$|steps?_?(limit|max|per_episode)$", re.IGNORECASE)


def check_unending(subject: Subject) -> Iterator[Finding]:
    """Of everything played, the longest episode that came to no end, beside those that were cut short."""
    going = {
        name: int(known.lengths[~known.ended].max())
        for name, known in subject.played.items()
        if (~known.ended).any()
    }  # fmt: skip
    if subject.design is not None or not going:
        return
    name, longest = max(going.items(), key=lambda item: item[1])
    cut = np.concatenate([_cut(known) for known in subject.played.values()])
    line = subject.line_of_return("step")
    if len(cut) >= FEWEST_CUT and longest > TIMES_LONGER * cut.max():
        yield NEVER_ENDS.warning(
            f"policy {name} plays {longest} steps without an end, while others are cut short after {cut.max()} at most",
            line=line,
        )
    elif not len(cut):
        for attribute, value in subject.attributes.items():
            if value < longest and _STEPS.search(attribute) and attribute in compared(subject):
                yield NEVER_ENDS.warning(
                    f"{attribute} is {value:.0f}, and yet an episode of policy {name} goes on after {longest} steps",
                    remedy="Compare the count of steps with >=, not with ==, and count each step once.",
                    line=line,
                )
                return


def _cut(known: Trajectories) -> np.ndarray:
    """Lengths of the episodes that were truncated."""
    return np.asarray(known.step[known.truncated & ~known.terminated] + 1)
