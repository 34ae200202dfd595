"""Worlds that several families share."""

from __future__ import annotations

from benchmarks.verdict_cases.worlds import LOWER, World
from kit.contracts.design import (
    Aggregate,
)


def tracking(size: int, jump: float, rule: str, **changes: object) -> World:
    """Follow a target that wanders on a line."""
    fields: dict[str, object] = {
        "choices": 3,
        "limit": 40,
        "state": {
            "at": (0, size, f"int(rng.integers({size + 1}))"),
            "target": (0, size, f"int(rng.integers({size + 1}))"),
        },
        "move": f"state.at = clip(prev.at + (action.act == 1) - (action.act == 2), 0, {size})\n"
        f"state.target = clip(prev.target + (int(rng.integers(3)) - 1) * (rng.random() < {jump}), 0, {size})",
        "reward": {"distance": (-1.0, "abs(state.at - state.target)")},
        "metric": ("abs(state.at - state.target)", Aggregate.MEAN, LOWER),
        "rule": rule,
    }
    return World(**{**fields, **changes})  # type: ignore[arg-type]


def stock(demand: int, holding: float, short: float, rule: str, size: int = 12) -> World:
    """Order before demand comes; what is not there is lost."""
    return World(
        choices=5,
        limit=30,
        state={"stock": (0, size, "3"), "short": (0, demand, "0")},
        seen=("stock",),
        move=f"wanted = int(rng.integers({demand + 1}))\n"
        f"have = min(prev.stock + action.act, {size})\n"
        "state.stock, state.short = max(have - wanted, 0), max(wanted - have, 0)",
        reward={"holding": (-holding, "state.stock"), "lost": (-short, "state.short")},
        metric=(f"{holding} * state.stock + {short} * state.short", Aggregate.MEAN, LOWER),
        rule=rule,
    )


def small_lift(floors: int) -> World:
    return World(
        choices=3,
        limit=40,
        state={
            "cabin": (0, floors, f"int(rng.integers({floors + 1}))"),
            "caller": (0, floors, f"int(rng.integers({floors + 1}))"),
            "waits": (0, floors, "0"),
        },
        seen=("cabin", "caller"),
        move=f"state.cabin = clip(prev.cabin + (action.act == 1) - (action.act == 2), 0, {floors})\n"
        "state.waits = abs(state.cabin - prev.caller)\n"
        f"state.caller = int(rng.integers({floors + 1})) if state.waits == 0 else prev.caller",
        reward={"waits": (-1.0, "state.waits")},
        metric=("state.waits", Aggregate.MEAN, LOWER),
        rule="where(obs.caller > obs.cabin, 1, where(obs.caller < obs.cabin, 2, 0))",
    )
