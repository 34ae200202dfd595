"""Which algorithm trains which kind of action, and why: a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kit.contracts.design import ActionKind, ActionSpec


@dataclass(frozen=True)
class Algorithm:
    """name: of the class in Stable-Baselines3 or sb3-contrib."""

    name: str
    why: str


_CHOICES: Final = "PPO handles {what} directly and learns from many copies of a cheap environment at once"

BY_ACTION: Final[dict[ActionKind, Algorithm]] = {
    ActionKind.BOX: Algorithm(
        "SAC", "SAC reuses every step many times, so it needs the fewest steps where actions are real numbers"
    ),
    ActionKind.DISCRETE: Algorithm("PPO", _CHOICES.format(what="one choice a step")),
    ActionKind.MULTI_DISCRETE: Algorithm("PPO", _CHOICES.format(what="several choices a step")),
    ActionKind.MULTI_BINARY: Algorithm("PPO", _CHOICES.format(what="several switches a step")),
}
MASKED: Final = Algorithm(
    "MaskablePPO", "some choices are illegal at times: MaskablePPO is PPO that never tries or learns from those"
)


def algorithm_for(action: ActionSpec) -> Algorithm:
    return MASKED if action.masked else BY_ACTION[action.kind]
