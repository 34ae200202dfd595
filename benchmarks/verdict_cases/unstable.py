"""Families in which seeds disagree, or what was learned is lost."""

from __future__ import annotations

from benchmarks.verdict_cases.honest import honest_heating
from benchmarks.verdict_cases.shared import tracking
from benchmarks.verdict_cases.worlds import HIGHER, Row, World
from kit.contracts.design import (
    Aggregate,
)


def trap() -> list[Row]:
    """A small prize near, a large one far, and the way there is to follow a signal; which is found first is chance."""

    def world(size: int, near: float) -> World:
        return World(
            choices=2,
            limit=2 * size,
            state={"at": (0, size, "2"), "signal": (0, 1, "int(rng.integers(2))")},
            move=f"state.at = clip(prev.at + (1 if action.act == prev.signal else -1), 0, {size})\n"
            "state.signal = int(rng.integers(2))",
            reward={"near": (near, "state.at == 0"), "far": (10.0, f"state.at == {size}")},
            metric=(f"state.at == {size}", Aggregate.FINAL, HIGHER),
            rule="where(obs.at > 3, obs.signal, 1)",
            ended=f"state.at == 0 or state.at == {size}",
        )

    return [
        (world(size, near), {"steps": steps, "seeds": 5, "explore": explore})
        for size, near, steps, explore in ((8, 1.0, 8000, 0.6), (8, 2.0, 4000, 0.9), (9, 1.0, 5500, 1.0))
    ]


def forgetting() -> list[Row]:
    """It learned, and then something went wrong with the learning itself."""
    lazy = "where(obs.target > obs.at + 2, 1, where(obs.target < obs.at - 2, 2, 0))"
    return [(tracking(size, 0.5, lazy), {"forgets": share}) for size, share in ((8, 0.6), (10, 0.7), (7, 0.5))]


def two_valleys() -> list[Row]:
    """Dig on where the needle points, long enough, and it pays; most give up early, some don't."""

    def world(deep: int, pays: float) -> World:
        return World(
            choices=3,
            limit=25,
            state={"depth": (0, deep, "0"), "needle": (0, 1, "int(rng.integers(2))")},
            move="right = action.act == 1 + prev.needle\n"
            f"state.depth = min(prev.depth + 1, {deep}) if right else max(prev.depth - 1, 0)\n"
            "state.needle = int(rng.integers(2))",
            reward={
                "effort": (-0.3, f"action.act > 0 and state.depth < {deep}"),
                "ore": (pays, f"state.depth == {deep}"),
            },
            metric=(f"state.depth == {deep}", Aggregate.SUM, HIGHER),
            rule="where(obs.depth < 1, 1 + obs.needle, 0)",
        )

    return [
        (world(deep, pays), {"steps": steps, "seeds": 5, "explore": explore})
        for deep, pays, steps, explore in ((5, 2.0, 4000, 1.0), (6, 3.0, 16_000, 1.0), (5, 3.0, 16_000, 0.7))
    ]


def broken_late() -> list[Row]:
    """A heating that was learned well, and a learner that loses it at the end."""
    return [(world, {"forgets": share}) for (world, _), share in zip(honest_heating(), (0.55, 0.65, 0.6), strict=True)]


def lucky_find() -> list[Row]:
    """The way is a sequence of signals to obey; some seeds find what is behind it, some settle for the door money."""

    def world(long: int, door: float) -> World:
        return World(
            choices=3,
            limit=3 * long,
            state={"deep": (0, long, "0"), "signal": (0, 1, "int(rng.integers(2))"), "left": (0, 1, "0")},
            seen=("deep", "signal"),
            move="state.left = int(action.act == 2)\n"
            f"state.deep = min(prev.deep + 1, {long}) if action.act == prev.signal else 0\n"
            "state.signal = int(rng.integers(2))",
            reward={"door": (door, "state.left"), "found": (12.0, f"state.deep == {long}")},
            metric=(f"state.deep == {long}", Aggregate.FINAL, HIGHER),
            rule="where(obs.deep < 2, obs.signal, 2)",
            ended=f"state.left == 1 or state.deep == {long}",
        )

    return [
        (world(long, door), {"steps": steps, "seeds": 5, "explore": explore})
        for long, door, steps, explore in ((5, 1.0, 5000, 0.7), (4, 1.0, 3000, 0.5), (5, 0.5, 8000, 0.7))
    ]
