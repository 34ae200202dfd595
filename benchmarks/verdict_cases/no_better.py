"""Families in which nothing is left to be learned beyond the rule."""

from __future__ import annotations

from benchmarks.verdict_cases.shared import ring, small_lift, stock, switches, tracking
from benchmarks.verdict_cases.worlds import CHASE, HIGHER, LOWER, Row, World
from kit.contracts.design import (
    Aggregate,
)


def best_rule_line() -> list[Row]:
    return [(tracking(size, jump, CHASE), {"steps": 60_000}) for size, jump in ((5, 0.5), (6, 0.8), (4, 0.3))]


def no_influence() -> list[Row]:
    """Whatever it does, the same happens."""
    return [
        (
            World(
                choices=3,
                limit=limit,
                state={"level": (0, 20, "10"), "pushed": (0, 2, "0")},
                move="state.pushed = action.act\nstate.level = clip(prev.level + int(rng.integers(3)) - 1, 0, 20)",
                reward={"level": (1.0, "state.level")},
                metric=("state.level", Aggregate.MEAN, HIGHER),
                rule="where(obs.level > 9, 1, 2)",
            ),
            {},
        )
        for limit in (20, 30, 40)
    ]


def best_rule_stock() -> list[Row]:
    """Orders up to the newsvendor's level: with lost sales and no lead time nothing is better."""

    def level(demand: int, holding: float, short: float) -> int:
        return next(s for s in range(demand + 1) if (s + 1) / (demand + 1) >= short / (short + holding) - 1e-9)

    return [
        (stock(demand, holding, short, f"clip({level(demand, holding, short)} - obs.stock, 0, 4)"), {"steps": 60_000})
        for demand, holding, short in ((4, 1.0, 4.0), (3, 1.0, 2.0), (4, 1.0, 1.5))
    ]


def blind() -> list[Row]:
    """What matters is not seen: the target moves, and only the own place is shown."""
    rule = "where(obs.at < {0}, 1, where(obs.at > {0}, 2, 0))"
    return [
        (tracking(size, jump, rule.format(size // 2), seen=("at",)), {"steps": 60_000})
        for size, jump in ((8, 0.9), (6, 0.9), (10, 0.9))
    ]


def fair_coins() -> list[Row]:
    """It guesses coins that nobody can guess."""
    return [
        (
            World(
                choices=2,
                limit=limit,
                state={"last": (0, 1, "0"), "right": (0, 1, "0")},
                move="state.right = int(rng.integers(2) == action.act)\nstate.last = action.act",
                reward={"right": (1.0, "state.right")},
                metric=("state.right", Aggregate.MEAN, HIGHER),
                rule="obs.last",
            ),
            {},
        )
        for limit in (20, 30, 50)
    ]


def best_rule_lift() -> list[Row]:
    """The lift with the rule that cannot be beaten, and steps enough."""
    return [(world, {"steps": 60_000}) for world in (small_lift(floors) for floors in (3, 4, 5))]


def level_kept() -> list[Row]:
    """A tank whose level drifts by what is seen; the rule undoes the drift exactly."""

    def world(size: int, drift: float) -> World:
        return World(
            choices=3,
            limit=30,
            state={"level": (0, size, f"int(rng.integers({size + 1}))"), "drift": (0, 2, "1")},
            move=f"state.level = clip(prev.level + action.act - prev.drift, 0, {size})\n"
            f"state.drift = int(rng.integers(3)) if rng.random() < {drift} else 1",
            reward={"off": (-1.0, f"abs(state.level - {size // 2})")},
            metric=(f"abs(state.level - {size // 2})", Aggregate.MEAN, LOWER),
            rule=f"clip(obs.drift + {size // 2} - obs.level, 0, 2)",
        )

    return [(world(*of), {"steps": 60_000}) for of in ((6, 0.5), (8, 0.3), (4, 0.8))]


def rough_sea() -> list[Row]:
    """The boat goes where the waves push it; steering is for show."""
    return [
        (
            World(
                choices=3,
                limit=limit,
                state={"at": (0, 12, "6"), "wheel": (0, 2, "1")},
                move="state.wheel = action.act\nstate.at = clip(prev.at + 2 * int(rng.integers(3)) - 2, 0, 12)",
                reward={"off": (-1.0, "abs(state.at - 6)")},
                metric=("abs(state.at - 6)", Aggregate.MEAN, LOWER),
                rule="where(obs.at > 6, 0, where(obs.at < 6, 2, 1))",
            ),
            {},
        )
        for limit in (25, 35, 45)
    ]


def best_rule_ring() -> list[Row]:
    """The ring, and time enough to find what the rule does."""
    return [(ring(size, moves), {"steps": 60_000}) for size, moves in ((4, 0.5), (5, 0.8), (6, 0.3))]


def best_rule_switches() -> list[Row]:
    """Whichever switch is put up first is the same; the rule puts one up in every step in which one is down."""
    return [(switches(count, falls), {"steps": 60_000}) for count, falls in ((2, 0.2), (3, 0.1), (3, 0.3))]


def best_rule_signals() -> list[Row]:
    """It answers the signal that it sees; nobody can do better than answer right."""
    return [
        (
            World(
                choices=signals,
                limit=30,
                state={"signal": (0, signals - 1, f"int(rng.integers({signals}))"), "right": (0, 1, "0")},
                seen=("signal",),
                move="state.right = int(action.act == (prev.signal + 1) % " + str(signals) + ")\n"
                f"state.signal = int(rng.integers({signals}))",
                reward={"right": (1.0, "state.right")},
                metric=("state.right", Aggregate.MEAN, HIGHER),
                rule=f"(obs.signal + 1) % {signals}",
            ),
            {"steps": 60_000},
        )
        for signals in (3, 4, 6)
    ]
