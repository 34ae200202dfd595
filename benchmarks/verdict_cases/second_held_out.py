"""The second held-out families, for the kinds of which there were few. What each must give was written down, with why,
before any verdict on them was seen; the learner's steps were chosen by the facts alone, which know no verdict.
"""

from __future__ import annotations

from benchmarks.verdict_cases.second_worlds import (
    battery,
    best_offer,
    bus,
    crossing,
    dam,
    key,
    lock,
    luck,
    machine,
    nim,
    offers,
    packing,
    pole,
    sums,
    tanks,
    vacuum,
)
from benchmarks.verdict_cases.worlds import Row, World, above_all, below_all, more_would_help

# LEARNED: what is paid is what is wanted, the rule leaves much of it, and there are steps enough to find it.


def honest_machine() -> list[Row]:
    """The rule mends what broke; to mend in time costs an eighth."""
    return [
        (machine(most, wears, f"where(obs.wear >= {most}, 1, 0)"), {"fact": above_all})
        for most, wears in ((5, 0.5), (8, 0.7))
    ]


def honest_luck() -> list[Row]:
    """The rule stops at a third of the limit; to draw on is safe for long after."""
    return [(luck(*of), {"fact": above_all}) for of in ((21, 6, 7), (30, 8, 10))]


def honest_offers() -> list[Row]:
    """The rule takes whatever is above the middle, however many days are left."""
    return [
        (offers(top, days, f"where(obs.offer > {top // 2}, 1, 0)"), {"fact": above_all})
        for top, days in ((9, 8), (12, 6))
    ]


def honest_dam() -> list[Row]:
    """The rule lets as much out when it is worth least as when it is worth most."""
    return [(dam(*of), {"fact": above_all}) for of in ((8, 0.8), (10, 0.9))]


def honest_packing() -> list[Row]:
    """With two boxes what does not fit into one fits into the other."""
    return [(packing(*of), {"fact": below_all}) for of in ((7, 4), (9, 5))]


def honest_battery() -> list[Row]:
    """The second lowest price is cheap and the second highest dear, and come as often."""
    return [(battery(*of), {"fact": above_all}) for of in ((2, 4), (3, 5))]


# UNDERTRAINED: the rule is as good as can be, or nearly, and gets more of the same reward from the same observation;
# the learner is stopped on its way there, and ten times the steps bring it at least half of what it lacks.


def _short(*rows: tuple[World, int]) -> list[Row]:
    return [(world, {"steps": steps, "more": 10, "fact": more_would_help}) for world, steps in rows]


def short_offers() -> list[Row]:
    return _short(
        (offers(20, 8, best_offer(20, 8), loss=True), 600), (offers(15, 6, best_offer(15, 6), loss=True), 500)
    )


def short_sums() -> list[Row]:
    return _short((sums(8, 4), 250), (sums(10, 5), 400))


def short_vacuum() -> list[Row]:
    return _short((vacuum(4, 0.08), 1500), (vacuum(5, 0.06), 4000))


def short_crossing() -> list[Row]:
    return _short((crossing(7, 7), 120), (crossing(10, 9), 250))


def short_nim() -> list[Row]:
    return _short((nim(16), 100), (nim(24), 250))


def short_tanks() -> list[Row]:
    return _short((tanks(8, 0.4), 1500), (tanks(10, 0.3), 2500))


# UNSTABLE: of five seeds some find what is far and some settle for what is near, and the rule settles, too. Or it was
# learned, better than a weak rule, and then the learner's table was blurred until nothing was left of it.


def combination() -> list[Row]:
    return [
        (lock(5, 2), {"steps": 7000, "seeds": 5, "explore": 0.7}),
        (lock(4, 3), {"steps": 3000, "seeds": 5, "explore": 0.7}),
    ]


def key_and_door() -> list[Row]:
    return [
        (key(6, 4), {"steps": 9000, "seeds": 5}),
        (key(7, 5), {"steps": 20_000, "seeds": 5}),
    ]


def late_bus() -> list[Row]:
    return [
        (bus(5, 9.0), {"steps": 8000, "seeds": 5, "explore": 0.7}),
        (bus(4, 5.0), {"steps": 5000, "seeds": 5, "explore": 0.6}),
    ]


def broken_pole() -> list[Row]:
    return [
        (pole(60, 0.2), {"forgets": 0.6, "fact": above_all}),
        (pole(50, 0.1), {"forgets": 0.7, "fact": above_all}),
    ]


def broken_dam() -> list[Row]:
    return [
        (dam(8, 0.8), {"forgets": 0.4, "fact": above_all}),
        (dam(10, 0.9), {"forgets": 0.5, "fact": above_all}),
    ]


def broken_battery() -> list[Row]:
    return [
        (battery(2, 4), {"forgets": 0.6, "fact": above_all}),
        (battery(3, 5), {"forgets": 0.5, "fact": above_all}),
    ]
