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


def ring(size: int, moves: float) -> World:
    """Stay with a target that wanders around a ring; the shorter way is best."""
    apart = f"min((state.at - state.target) % {size}, (state.target - state.at) % {size})"
    ahead = f"(obs.target - obs.at) % {size}"
    return World(
        choices=3,
        limit=40,
        state={
            "at": (0, size - 1, f"int(rng.integers({size}))"),
            "target": (0, size - 1, f"int(rng.integers({size}))"),
        },
        move=f"state.at = (prev.at + (action.act == 1) - (action.act == 2)) % {size}\n"
        f"state.target = (prev.target + (int(rng.integers(3)) - 1) * (rng.random() < {moves})) % {size}",
        reward={"apart": (-1.0, apart)},
        metric=(apart, Aggregate.MEAN, LOWER),
        rule=f"where({ahead} < 0.5, 0, where({ahead} <= {size // 2}, 1, 2))",
    )


def switches(count: int, falls: float) -> World:
    """Switches that fall by chance; one can be put back up in a step, or none."""
    names = [f"s{n}" for n in range(count)]
    rule = str(count)
    for n in reversed(range(count)):
        rule = f"where(obs.s{n} < 0.5, {n}, {rule})"
    down = f"{count} - ({' + '.join(f'state.{name}' for name in names)})"
    return World(
        choices=count + 1,
        limit=30,
        state=dict.fromkeys(names, (0, 1, "int(rng.integers(2))")),
        move="\n".join(
            f"state.{name} = int((prev.{name} or action.act == {n}) and rng.random() >= {falls})"
            for n, name in enumerate(names)
        ),
        reward={"down": (-1.0, down)},
        metric=(down, Aggregate.MEAN, LOWER),
        rule=rule,
    )
