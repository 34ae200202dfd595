"""Families in which the rule can be beaten, honestly."""

from __future__ import annotations

from benchmarks.verdict_cases.shared import stock, tracking
from benchmarks.verdict_cases.worlds import HIGHER, LOWER, Row, World, above_the_rule, below_the_rule
from kit.contracts.design import (
    Aggregate,
)


def honest_line() -> list[Row]:
    lazy = "where(obs.target > obs.at + {0}, 1, where(obs.target < obs.at - {0}, 2, 0))"
    return [
        (tracking(size, jump, lazy.format(slack)), {}) for size, jump, slack in ((8, 0.5, 2), (10, 0.8, 3), (6, 0.3, 2))
    ]


def honest_stock() -> list[Row]:
    return [
        (stock(4, 0.5, 4.0, "where(obs.stock < 1, 4, 0)"), {}),
        (stock(3, 1.0, 3.0, "where(obs.stock < 6, 3, 0)"), {}),
        (stock(4, 1.0, 9.0, "where(obs.stock < 2, 2, 0)"), {}),
    ]


def honest_heating() -> list[Row]:
    """A room that cools down; warm enough, and not too dear."""

    def world(cold: int, dear: float, at: int) -> World:
        return World(
            choices=3,
            limit=40,
            state={"warmth": (0, 12, "int(rng.integers(4, 9))"), "outside": (0, 2, "1")},
            move=f"loss = 1 + (int(rng.integers({cold + 1})) if prev.outside else 0)\n"
            "state.warmth = clip(prev.warmth + 2 * action.act - loss, 0, 12)\n"
            "state.outside = int(rng.integers(3)) if rng.random() < 0.3 else prev.outside",
            reward={"comfort": (-1.0, "abs(state.warmth - 7)"), "energy": (-dear, "action.act")},
            metric=(f"abs(state.warmth - 7) + {dear} * action.act", Aggregate.MEAN, LOWER),
            rule=f"where(obs.warmth < {at}, 2, 0)",
        )

    return [(world(*of), {}) for of in ((1, 0.2, 5), (2, 0.3, 4), (1, 0.1, 9))]


def honest_queue() -> list[Row]:
    """Open counters cost, and so does waiting."""

    def world(arrive: int, costs: float, rule: str) -> World:
        return World(
            choices=4,
            limit=40,
            state={"waiting": (0, 15, "int(rng.integers(6))"), "open": (0, 3, "0")},
            move=f"state.open = action.act\nstate.waiting = clip(prev.waiting + int(rng.integers({arrive + 1})) "
            "- action.act - (action.act == 3), 0, 15)",
            reward={"waiting": (-1.0, "state.waiting"), "counters": (-costs, "state.open")},
            metric=(f"state.waiting + {costs} * state.open", Aggregate.MEAN, LOWER),
            rule=rule,
        )

    return [
        (world(*of), {})
        for of in ((3, 1.0, "where(obs.waiting > 6, 2, 1)"), (3, 2.0, "where(obs.waiting > 9, 3, 0)"), (2, 1.5, "2"))
    ]


def honest_lift() -> list[Row]:
    """One cabin, one caller at a time: fetch whoever waits; the rule serves them only when they wait near."""

    def world(floors: int, near: int) -> World:
        return World(
            choices=3,
            limit=40,
            state={
                "cabin": (0, floors, f"int(rng.integers({floors + 1}))"),
                "caller": (0, floors, f"int(rng.integers({floors + 1}))"),
                "served": (0, 1, "0"),
            },
            seen=("cabin", "caller"),
            move=f"state.cabin = clip(prev.cabin + (action.act == 1) - (action.act == 2), 0, {floors})\n"
            "state.served = int(state.cabin == prev.caller)\n"
            f"state.caller = int(rng.integers({floors + 1})) if state.served else prev.caller",
            reward={"served": (1.0, "state.served"), "moving": (-0.02, "action.act > 0")},
            metric=("state.served", Aggregate.SUM, HIGHER),
            rule=f"where(abs(obs.caller - obs.cabin) > {near}, 0, where(obs.caller > obs.cabin, 1, 2))",
        )

    return [(world(*of), {"fact": above_the_rule}) for of in ((5, 2), (6, 3), (4, 1))]


def honest_bidding() -> list[Row]:
    """Buy what is needed when it is cheap: price and need are seen, and the store holds a little."""

    def world(room: int, at: int) -> World:
        return World(
            choices=3,
            limit=30,
            state={
                "price": (1, 6, "int(rng.integers(1, 7))"),
                "store": (0, room, "2"),
                "paid": (0, 40, "0"),
                "missed": (0, 1, "0"),
            },
            seen=("price", "store"),
            move=f"bought = min(action.act * 2, {room} - prev.store)\n"
            "state.paid = bought * prev.price\nhave = prev.store + bought\n"
            "state.missed = int(have < 1)\nstate.store = max(have - 1, 0)\n"
            "state.price = int(rng.integers(1, 7))",
            reward={"paid": (-1.0, "state.paid"), "missed": (-10.0, "state.missed")},
            metric=("state.paid + 10 * state.missed", Aggregate.SUM, LOWER),
            rule=f"where(obs.store < {at}, 1, 0)",
        )

    return [(world(*of), {"fact": below_the_rule}) for of in ((6, 2), (8, 3), (5, 2))]
