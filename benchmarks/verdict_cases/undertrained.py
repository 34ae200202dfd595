"""Families in which a longer training would help."""

from __future__ import annotations

from benchmarks.verdict_cases.shared import ring, small_lift, switches, tracking
from benchmarks.verdict_cases.worlds import CHASE, LOWER, Row, World, more_would_help
from kit.contracts.design import (
    Aggregate,
)


def short_line() -> list[Row]:
    """Nothing but time is missing: the rule is as good as can be, and the learner was stopped on its way there."""
    return [
        (tracking(size, 0.7, CHASE), {"steps": steps, "more": 10, "fact": more_would_help})
        for size, steps in ((10, 1500), (12, 3000), (14, 6000))
    ]


def short_queue() -> list[Row]:
    """Two queues, one server: the longer first is best, and the learner has not seen enough of them."""

    def world(most: int) -> World:
        return World(
            choices=2,
            limit=40,
            state={"left": (0, most, "int(rng.integers(6))"), "right": (0, most, "int(rng.integers(6))")},
            move=f"state.left = clip(prev.left + (rng.random() < 0.8) - 2 * (action.act == 0), 0, {most})\n"
            f"state.right = clip(prev.right + (rng.random() < 0.8) - 2 * (action.act == 1), 0, {most})",
            reward={"waiting": (-1.0, "state.left * state.left + state.right * state.right")},
            metric=("state.left * state.left + state.right * state.right", Aggregate.MEAN, LOWER),
            rule="where(obs.left >= obs.right, 0, 1)",
        )

    return [
        (world(most), {"steps": steps, "more": 10, "fact": more_would_help})
        for most, steps in ((15, 600), (20, 800), (25, 1000))
    ]


def short_errand() -> list[Row]:
    """To the shop and back home, on a grid; it has only begun to find the way."""

    def world(size: int) -> World:
        return World(
            choices=4,
            limit=6 * size,
            state={"x": (0, size, "int(rng.integers(2))"), "y": (0, size, "int(rng.integers(2))"), "got": (0, 1, "0")},
            move=f"state.x = clip(prev.x + (action.act == 0) - (action.act == 1), 0, {size})\n"
            f"state.y = clip(prev.y + (action.act == 2) - (action.act == 3), 0, {size})\n"
            f"state.got = int(prev.got or (state.x == {size} and state.y == {size}))",
            reward={
                "closer": (
                    1.0,
                    "where(prev.got == 0, state.x + state.y - prev.x - prev.y, prev.x + prev.y - state.x - state.y)",
                ),
                "time": (-0.2, "1"),
            },
            metric=("1", Aggregate.SUM, LOWER),
            rule=f"where(obs.got < 0.5, where(obs.x < {size}, 0, 2), where(obs.x > 0, 1, 3))",
            ended="state.got == 1 and state.x == 0 and state.y == 0",
        )

    return [
        (world(size), {"steps": steps, "more": 10, "fact": more_would_help})
        for size, steps in ((7, 300), (9, 400), (11, 600))
    ]


def short_lift() -> list[Row]:
    """The lift with a rule that cannot be beaten, and too few steps."""
    return [
        (small_lift(floors), {"steps": steps, "more": 10, "fact": more_would_help})
        for floors, steps in ((9, 1500), (11, 2500), (13, 4000))
    ]


def short_delivery() -> list[Row]:
    """To an address on a grid by the shortest way; it has seen few addresses yet."""

    def world(size: int) -> World:
        anywhere = f"int(rng.integers({size + 1}))"
        return World(
            choices=4,
            limit=4 * size,
            state={
                "x": (0, size, anywhere),
                "y": (0, size, anywhere),
                "to_x": (0, size, anywhere),
                "to_y": (0, size, anywhere),
            },
            move=f"state.x = clip(prev.x + (action.act == 0) - (action.act == 1), 0, {size})\n"
            f"state.y = clip(prev.y + (action.act == 2) - (action.act == 3), 0, {size})",
            reward={"way": (-1.0, "abs(state.x - state.to_x) + abs(state.y - state.to_y)")},
            metric=("abs(state.x - state.to_x) + abs(state.y - state.to_y)", Aggregate.MEAN, LOWER),
            rule="where(obs.x < obs.to_x, 0, where(obs.x > obs.to_x, 1, where(obs.y < obs.to_y, 2, 3)))",
            ended="state.x == state.to_x and state.y == state.to_y",
        )

    return [
        (world(size), {"steps": steps, "more": 10, "fact": more_would_help})
        for size, steps in ((3, 2500), (4, 6000), (3, 1500))
    ]


def short_ring() -> list[Row]:
    """The ring, and too few rounds of it."""
    return [
        (ring(size, 0.5), {"steps": steps, "more": 10, "fact": more_would_help})
        for size, steps in ((12, 2000), (15, 3500), (18, 5000))
    ]


def short_switches() -> list[Row]:
    """More patterns of switches than it has seen."""
    return [
        (switches(count, 0.1), {"steps": steps, "more": 10, "fact": more_would_help})
        for count, steps in ((5, 1500), (6, 3000), (7, 6000))
    ]
