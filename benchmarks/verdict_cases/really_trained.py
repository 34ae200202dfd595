"""Cases that the real trainer learns, in seconds: its box, engine, network, evaluations and ladder, instead of a table.

What each must give was written down before any verdict on them was seen.
"""

from __future__ import annotations

from benchmarks.verdict_cases.second_worlds import dam, machine, packing, sums, tanks
from benchmarks.verdict_cases.worlds import (
    HIGHER,
    Means,
    Row,
    World,
    above_all,
    below_all,
    more_would_help,
)
from kit.contracts.design import Aggregate


def really_machine() -> list[Row]:
    """LEARNED: the rule mends what broke; to mend in time costs an eighth."""
    return [(machine(5, 0.5, "where(obs.wear >= 5, 1, 0)"), {"steps": 40_000, "fact": above_all})]


def really_dam() -> list[Row]:
    """LEARNED: the rule lets as much out when it is worth least as when it is worth most."""
    return [(dam(8, 0.8), {"steps": 40_000, "fact": above_all})]


def really_packing() -> list[Row]:
    """LEARNED: with two boxes what does not fit into one fits into the other."""
    return [(packing(7, 4), {"steps": 60_000, "fact": below_all})]


def really_tanks() -> list[Row]:
    """UNDERTRAINED: the rule is nearly as good as can be, and nothing but time is missing."""
    return [(tanks(8, 0.4), {"steps": 3000, "more": 20, "fact": more_would_help})]


def really_polishing() -> list[Row]:
    """REWARD_HACKED: to polish pays twice what work pays, and nothing gets done by it."""
    world = World(
        choices=2,
        limit=30,
        state={"shine": (0, 1, "0"), "done": (0, 1, "0")},
        move="state.shine = int(action.act == 1)\nstate.done = int(action.act == 0 and rng.random() < 0.5)",
        reward={"shine": (1.0, "state.shine"), "done": (1.0, "state.done")},
        metric=("state.done", Aggregate.SUM, HIGHER),
        rule="0",
    )
    return [(world, {"steps": 20_000, "fact": _less_than_half_of_the_rule})]


def really_sums() -> list[Row]:
    """NO_BETTER_THAN_BASELINE: the rule is never wrong, and neither is what was learned."""
    return [(sums(3, 2), {"steps": 40_000, "fact": _never_wrong})]


def _less_than_half_of_the_rule(means: Means) -> bool:
    return means["goods"] < 0.5 * means["rule.goods"]


def _never_wrong(means: Means) -> bool:
    return means["goods"] == means["rule.goods"] == 0
