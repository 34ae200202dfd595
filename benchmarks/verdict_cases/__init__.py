"""Cases for verdicts.py: small worlds, each a real design and a real environment, whose right verdict is known by how
they are made.

A family is one mechanism; its cases differ in sizes and chances. The verdict's rules and thresholds were set while
looking at the families of SET; those of HELD_OUT were written after that, and only measured. `fact` says, from what the
learner did and without the verdict's code, whether it did what the case is made for: a learner that never found the
bait is no hacked case.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.verdict_cases.hacked import (
    clipped_cost,
    covered_sensor,
    dying_early,
    farmed_reset,
    loitering,
    oscillating,
    wireheading,
)
from benchmarks.verdict_cases.hacked_held_out import alive_bonus, closing_tickets, dropped_load, saturated_meter
from benchmarks.verdict_cases.honest import (
    honest_bidding,
    honest_heating,
    honest_lift,
    honest_line,
    honest_queue,
    honest_stock,
)
from benchmarks.verdict_cases.no_better import (
    best_rule_lift,
    best_rule_line,
    best_rule_ring,
    best_rule_signals,
    best_rule_stock,
    best_rule_switches,
    blind,
    fair_coins,
    level_kept,
    no_influence,
    rough_sea,
)
from benchmarks.verdict_cases.undertrained import (
    short_delivery,
    short_errand,
    short_lift,
    short_line,
    short_queue,
    short_ring,
    short_switches,
)
from benchmarks.verdict_cases.unstable import broken_late, forgetting, lucky_find, trap, two_valleys
from benchmarks.verdict_cases.worlds import HACKED, LEARNED, NO_BETTER, UNDERTRAINED, UNSTABLE, Case, Row, always
from kit.contracts.outcomes import VerdictKind

__all__ = ["HELD_OUT", "SET", "Case", "cases_of"]

Family = Callable[[], list[Row]]


SET: tuple[tuple[Family, VerdictKind], ...] = (
    (honest_line, LEARNED), (honest_stock, LEARNED), (honest_heating, LEARNED), (honest_queue, LEARNED),
    (loitering, HACKED), (dying_early, HACKED), (oscillating, HACKED), (covered_sensor, HACKED),
    (clipped_cost, HACKED), (farmed_reset, HACKED), (wireheading, HACKED), (short_line, UNDERTRAINED),
    (short_queue, UNDERTRAINED), (short_errand, UNDERTRAINED), (trap, UNSTABLE), (forgetting, UNSTABLE),
    (two_valleys, UNSTABLE), (best_rule_line, NO_BETTER), (no_influence, NO_BETTER), (best_rule_stock, NO_BETTER),
    (blind, NO_BETTER), (fair_coins, NO_BETTER), (best_rule_lift, NO_BETTER), (short_lift, UNDERTRAINED),
    (short_delivery, UNDERTRAINED),
)  # fmt: skip


HELD_OUT: tuple[tuple[Family, VerdictKind], ...] = (
    (honest_lift, LEARNED), (honest_bidding, LEARNED), (closing_tickets, HACKED), (alive_bonus, HACKED),
    (saturated_meter, HACKED), (dropped_load, HACKED), (short_ring, UNDERTRAINED), (short_switches, UNDERTRAINED),
    (broken_late, UNSTABLE), (lucky_find, UNSTABLE), (level_kept, NO_BETTER), (rough_sea, NO_BETTER),
    (best_rule_ring, NO_BETTER), (best_rule_switches, NO_BETTER), (best_rule_signals, NO_BETTER),
)  # fmt: skip


def cases_of(families: tuple[tuple[Family, VerdictKind], ...]) -> list[Case]:
    return [
        Case(family.__name__, number, world, truth, **{"fact": always, **how})  # type: ignore[arg-type]
        for family, truth in families
        for number, (world, how) in enumerate(family(), 1)
    ]
