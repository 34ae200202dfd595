"""Worlds of the second held-out families; none of them was there when a rule or a threshold was set."""

from __future__ import annotations

from benchmarks.verdict_cases.worlds import HIGHER, LOWER, World
from kit.contracts.design import Aggregate


def machine(most: int, wears: float, rule: str) -> World:
    """It wears, and the more it is worn the likelier it breaks; to mend what broke costs eight times as much."""
    return World(
        choices=2,
        limit=40,
        state={"wear": (0, most, "0"), "made": (0, 1, "0"), "cost": (0, 8, "0")},
        seen=("wear",),
        move=f"runs = action.act == 0 and prev.wear < {most}\n"
        f"breaks = runs and rng.random() < prev.wear / {2 * most}\n"
        "state.made = int(runs)\n"
        f"state.cost = (8 if prev.wear == {most} else 1) if action.act == 1 else 0\n"
        f"worn = {most} if breaks else min(prev.wear + int(runs and rng.random() < {wears}), {most})\n"
        "state.wear = 0 if action.act == 1 else worn",
        reward={"made": (1.0, "state.made"), "cost": (-1.0, "state.cost")},
        metric=("state.made - state.cost", Aggregate.SUM, HIGHER),
        rule=rule,
    )


def luck(limit: int, card: int, stops: int) -> World:
    """Draw on, or stop and be paid the total; beyond the limit it pays nothing."""
    return World(
        choices=2,
        limit=20,
        state={"total": (0, limit + card, "0"), "paid": (0, limit, "0"), "over": (0, 1, "0")},
        seen=("total",),
        move="state.paid = prev.total if action.act == 1 else 0\n"
        f"state.total = prev.total if action.act == 1 else prev.total + int(rng.integers(1, {card + 1}))\n"
        f"state.over = int(action.act == 1 or state.total > {limit})",
        reward={"paid": (1.0, "state.paid")},
        metric=("state.paid", Aggregate.FINAL, HIGHER),
        rule=f"where(obs.total >= {stops}, 1, 0)",
        ended="state.over == 1",
    )


def offers(top: int, days: int, rule: str, loss: bool = False) -> World:
    """One offer a day, to be taken or left for good; after the last there is nothing. loss: the metric is what the
    taken one lacks to the highest that there can be."""
    return World(
        choices=2,
        limit=days,
        state={
            "offer": (1, top, f"int(rng.integers(1, {top + 1}))"),
            "left": (0, days, str(days)),
            "got": (0, top, "0"),
            "taken": (0, 1, "0"),
        },
        seen=("offer", "left"),
        move="state.taken = int(action.act == 1)\nstate.got = prev.offer if action.act == 1 else 0\n"
        f"state.left = prev.left - 1\nstate.offer = int(rng.integers(1, {top + 1}))",
        reward={"got": (1.0, "state.got")},
        metric=(f"{top} - state.got", Aggregate.FINAL, LOWER) if loss else ("state.got", Aggregate.FINAL, HIGHER),
        rule=rule,
        ended="state.taken == 1",
        discount=1.0,
    )


def best_offer(top: int, days: int) -> str:
    """The rule that nobody can beat, by backward induction: take what is worth more than all that may come."""
    rule, worth = "1", 0.0
    for left in range(1, days + 1):
        rule = f"where(obs.left > {left - 0.5}, where(obs.offer >= {worth}, 1, 0), {rule})" if left > 1 else "1"
        worth = sum(max(offer, worth) for offer in range(1, top + 1)) / top
    return rule


def packing(size: int, largest: int) -> World:
    """Two open boxes; what does not fit sends the box away with room to spare. The rule keeps to the first."""
    return World(
        choices=2,
        limit=40,
        state={
            "one": (0, size - 1, "0"),
            "two": (0, size - 1, "0"),
            "item": (2, largest, "2"),
            "spare": (0, size, "0"),
        },
        seen=("one", "two", "item"),
        move="full = prev.one if action.act == 0 else prev.two\n"
        f"over = full + prev.item > {size}\n"
        f"state.spare = {size} - full if over else 0\n"
        f"after = prev.item if over else (full + prev.item) % {size}\n"
        "state.one = after if action.act == 0 else prev.one\n"
        "state.two = after if action.act == 1 else prev.two\n"
        f"state.item = int(rng.integers(2, {largest + 1}))",
        reward={"spare": (-1.0, "state.spare")},
        metric=("state.spare", Aggregate.SUM, LOWER),
        rule="0",
    )


def battery(room: int, prices: int) -> World:
    """Buy when it is cheap, sell when it is dear; the rule waits for the lowest and the highest price of all."""
    return World(
        choices=3,
        limit=40,
        state={"charge": (0, room, "0"), "price": (0, prices, f"int(rng.integers({prices + 1}))"),
               "earned": (-prices, prices, "0")},
        seen=("charge", "price"),
        move=f"bought = int(action.act == 1 and prev.charge < {room})\n"
        "sold = int(action.act == 2 and prev.charge > 0)\n"
        "state.charge = prev.charge + bought - sold\n"
        "state.earned = prev.price * (sold - bought)\n"
        f"state.price = int(rng.integers({prices + 1}))",
        reward={"earned": (1.0, "state.earned")},
        metric=("state.earned", Aggregate.SUM, HIGHER),
        rule=f"where(obs.price < 1, 1, where(obs.price > {prices - 1}, 2, 0))",
    )  # fmt: skip


def pole(limit: int, gusts: float) -> World:
    """Keep it from falling to either side; the rule looks at where it is and not at where it goes."""
    return World(
        choices=3,
        limit=limit,
        state={"angle": (0, 8, "int(rng.integers(3, 6))"), "speed": (0, 4, "2")},
        move="lean = (prev.angle > 4) - (prev.angle < 4)\n"
        f"gust = int(rng.integers(3)) - 1 if rng.random() < {gusts} else 0\n"
        "state.speed = clip(prev.speed + action.act - 1 + (lean if rng.random() < 0.4 else 0) + gust, 0, 4)\n"
        "state.angle = clip(prev.angle + state.speed - 2, 0, 8)",
        reward={"up": (1.0, "1")},
        metric=("1", Aggregate.SUM, HIGHER),
        rule="where(obs.angle > 4, 0, where(obs.angle < 4, 2, 1))",
        ended="state.angle == 0 or state.angle == 8",
    )


def dam(room: int, stays: float) -> World:
    """Water is worth most in the dry season, and a flood costs; the rule lets one out in every step."""
    return World(
        choices=3,
        limit=40,
        state={"water": (0, room, f"{room // 2}"), "season": (0, 2, "1"), "power": (0, 8, "0"), "flood": (0, 1, "0")},
        seen=("water", "season"),
        move="out = min(prev.water, action.act)\n"
        "level = prev.water - out + int(rng.integers(prev.season + 2))\n"
        f"state.flood = int(level > {room})\nstate.water = min(level, {room})\n"
        "state.power = out * (4, 1, 0)[prev.season]\n"
        f"state.season = prev.season if rng.random() < {stays} else int(rng.integers(3))",
        reward={"power": (1.0, "state.power"), "flood": (-10.0, "state.flood")},
        metric=("state.power - 10 * state.flood", Aggregate.SUM, HIGHER),
        rule="1",
    )


def sums(numbers: int, answers: int) -> World:
    """Two numbers are shown, and their sum modulo a few is asked for; who knows it is never wrong."""
    one = f"int(rng.integers({numbers}))"
    return World(
        choices=answers,
        limit=30,
        state={"a": (0, numbers - 1, one), "b": (0, numbers - 1, one), "wrong": (0, 1, "0")},
        seen=("a", "b"),
        move=f"state.wrong = int(action.act != (prev.a + prev.b) % {answers})\nstate.a = {one}\nstate.b = {one}",
        reward={"wrong": (-1.0, "state.wrong")},
        metric=("state.wrong", Aggregate.MEAN, LOWER),
        rule=f"(obs.a + obs.b) % {answers}",
    )


def vacuum(cells: int, dirty: float) -> World:
    """A row of rooms that get dirty again; clean here, else go to the left where it is dirty, else to the right."""
    names = [f"d{n}" for n in range(cells)]
    here = " + ".join(f"(abs(obs.at - {n}) < 0.5) * obs.{name}" for n, name in enumerate(names))
    left = " + ".join(f"(obs.at > {n}.5) * obs.{name}" for n, name in enumerate(names))
    dirt = " + ".join(f"state.{name}" for name in names)
    return World(
        choices=3,
        limit=30,
        state={"at": (0, cells - 1, f"int(rng.integers({cells}))"),
               **dict.fromkeys(names, (0, 1, "int(rng.integers(2))"))},
        move=f"state.at = clip(prev.at + (action.act == 1) - (action.act == 0), 0, {cells - 1})\n"
        + "\n".join(
            f"state.{name} = int((prev.{name} and not (action.act == 2 and prev.at == {n})) or rng.random() < {dirty})"
            for n, name in enumerate(names)
        ),
        reward={"dirt": (-1.0, dirt)},
        metric=(dirt, Aggregate.MEAN, LOWER),
        rule=f"where({here} > 0.5, 2, where({left} > 0.5, 0, 1))",
    )  # fmt: skip


def crossing(rows: int, phases: int) -> World:
    """A road of several lanes whose cars come by a timetable; who is hit begins again; the rule looks first."""
    return World(
        choices=2,
        limit=60,
        state={"row": (0, rows, "0"), "phase": (0, phases - 1, f"int(rng.integers({phases}))"), "hit": (0, 1, "0")},
        seen=("row", "phase"),
        move=f"state.phase = (prev.phase + 1) % {phases}\nstate.row = prev.row + action.act\n"
        f"state.hit = int(0 < state.row < {rows} and (state.phase - 2 * state.row) % {phases} < 2)\n"
        "state.row = 0 if state.hit else state.row",
        reward={"time": (-0.1, "1"), "hit": (-1.0, "state.hit")},
        metric=("0.1 + state.hit", Aggregate.SUM, LOWER),
        rule=f"where(obs.row > {rows - 1.5}, 1, where((obs.phase - 2 * obs.row - 1) % {phases} < 1.5, 0, 1))",
        ended=f"state.row == {rows}",
    )


def nim(stones: int) -> World:
    """Take one to three, in turn with a master; the last one wins. It begins where leaving a multiple of four wins."""
    return World(
        choices=3,
        limit=stones,
        state={
            "stones": (0, stones, f"4 * int(rng.integers(1, {stones // 4})) + int(rng.integers(1, 4))"),
            "won": (0, 1, "0"),
            "lost": (0, 1, "0"),
        },
        seen=("stones",),
        move="left = max(prev.stones - action.act - 1, 0)\nstate.won = int(left == 0)\n"
        "after = max(left - (left % 4 or int(rng.integers(1, 4))), 0)\n"
        "state.lost = int(left > 0 and after == 0)\nstate.stones = after if left else 0",
        reward={"won": (1.0, "state.won"), "lost": (-1.0, "state.lost")},
        metric=("state.lost", Aggregate.FINAL, LOWER),
        rule="clip(obs.stones % 4 - 1, 0, 2)",
        ended="state.won == 1 or state.lost == 1",
        discount=1.0,
    )


def tanks(size: int, drift: float) -> World:
    """Two levels that drift, and one valve at a time; the rule turns to the one that is further off."""
    middle = size // 2
    moved = [f"(int(rng.integers(3)) - 1) * (rng.random() < {drift})" for _ in range(2)]
    off = f"abs(state.one - {middle}) + abs(state.two - {middle})"
    return World(
        choices=5,
        limit=30,
        state={"one": (0, size, f"int(rng.integers({size + 1}))"), "two": (0, size, f"int(rng.integers({size + 1}))")},
        move=f"state.one = clip(prev.one + (action.act == 1) - (action.act == 2) + {moved[0]}, 0, {size})\n"
        f"state.two = clip(prev.two + (action.act == 3) - (action.act == 4) + {moved[1]}, 0, {size})",
        reward={"off": (-1.0, off)},
        metric=(off, Aggregate.MEAN, LOWER),
        rule=f"where(abs(obs.one - {middle}) >= abs(obs.two - {middle}), "
        f"where(obs.one < {middle}, 1, where(obs.one > {middle}, 2, 0)), where(obs.two < {middle}, 3, 4))",
    )


def lock(long: int, digits: int) -> World:
    """A fixed combination, a wrong digit of which begins anew; or leave at once for little."""
    return World(
        choices=digits + 1,
        limit=4 * long,
        state={"deep": (0, long, "0"), "gone": (0, 1, "0")},
        seen=("deep",),
        move=f"state.gone = int(action.act == {digits})\n"
        f"right = action.act == prev.deep * (prev.deep + 1) // 2 % {digits}\n"
        "state.deep = prev.deep + 1 if right else prev.deep if state.gone else 0",
        reward={"leaving": (1.0, "state.gone"), "opened": (10.0, f"state.deep == {long}")},
        metric=(f"state.deep == {long}", Aggregate.FINAL, HIGHER),
        rule=str(digits),
        ended=f"state.gone == 1 or state.deep == {long}",
    )


def key(size: int, start: int) -> World:
    """A door at one end pays little, and much to who has fetched the key from the other end first."""
    return World(
        choices=2,
        limit=3 * size,
        state={"at": (0, size, str(start)), "has": (0, 1, "0")},
        move=f"state.at = clip(prev.at + (1 if action.act == 1 else -1), 0, {size})\n"
        "state.has = int(prev.has or state.at == 0)",
        reward={"door": (1.0, f"state.at == {size}"), "treasure": (8.0, f"(state.at == {size}) * state.has")},
        metric=(f"(state.at == {size}) * state.has", Aggregate.FINAL, HIGHER),
        rule="1",
        ended=f"state.at == {size}",
    )


def bus(late: int, pays: float) -> World:
    """Wait for a bus that is late, first on one foot, then on the other; or walk at any time for little, as the rule
    does."""
    return World(
        choices=3,
        limit=3 * late,
        state={"waited": (0, 3 * late, "0"), "walked": (0, 1, "0"), "rode": (0, 1, "0")},
        seen=("waited",),
        move="waits = action.act == prev.waited % 2\n"
        "state.walked = int(not waits)\nstate.waited = prev.waited + int(waits)\n"
        f"state.rode = int(waits and state.waited >= {late} and rng.random() < 0.7)",
        reward={"walked": (1.0, "state.walked"), "rode": (pays, "state.rode")},
        metric=("state.rode", Aggregate.FINAL, HIGHER),
        rule="2",
        ended="state.walked == 1 or state.rode == 1",
    )
