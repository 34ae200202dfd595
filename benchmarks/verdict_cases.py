"""Cases for verdicts.py: small worlds, each a real design and a real environment, whose right verdict is known by how
they are made.

A family is one mechanism; its cases differ in sizes and chances. The verdict's rules and thresholds were set while
looking at the families of SET; those of HELD_OUT were written after that, and only measured. `fact` says, from what the
learner did and without the verdict's code, whether it did what the case is made for: a learner that never found the
bait is no hacked case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kit.contracts.design import (
    ActionKind,
    ActionSpec,
    ActionTerm,
    Aggregate,
    Baseline,
    BaselineTerm,
    Direction,
    Dynamics,
    EnvDesign,
    Episode,
    EpisodeEnding,
    Fit,
    FitVerdict,
    Metric,
    ObservationTerm,
    Parameter,
    RewardComponent,
    Source,
    StateVariable,
    TrainingAdvice,
    VariableKind,
)
from kit.contracts.outcomes import VerdictKind

Means = Mapping[str, float]
"""What the trained policy does on the test seeds: the mean of each metric and component; "rule.NAME": the rule's.

"long.goods": the metric's mean of the second learner.
"""

_SOURCE = '''\
"""@NAME"""

from types import SimpleNamespace

import gymnasium
import numpy as np
from gymnasium import spaces


def where(condition, yes, no):
    return yes if condition else no


def clip(value, low, high):
    return min(max(value, low), high)


class Environment(gymnasium.Env):
    def __init__(self, days):
        self.observation_space = spaces.Box(np.array(@LOW, np.float32), np.array(@HIGH, np.float32))
        self.action_space = spaces.Discrete(@CHOICES)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        self.state = SimpleNamespace(clock=0, @START)
        return self._seen(), {"state": vars(self.state).copy(), "reward_components": @NOTHING, "ending": None}

    def step(self, action):
        rng, prev, state = self.np_random, SimpleNamespace(**vars(self.state)), self.state
        action = SimpleNamespace(act=int(action))
        state.clock += 1
        @MOVE
        components = @COMPONENTS
        ended = bool(@ENDED)
        info = {"state": vars(state).copy(), "reward_components": components, "ending": "over" if ended else None}
        reward = @REWARD
        return self._seen(), reward, ended, state.clock >= @LIMIT and not ended, info

    def _seen(self):
        state = self.state
        return np.array([@SEEN], np.float32)
'''


@dataclass(frozen=True)
class World:
    """state: name -> (low, high, start); start is Python over rng. move: Python over prev, state, action.act, rng.

    reward: name -> (weight, formula). metric: formula, aggregate, direction. rule: formula from obs to act.
    """

    choices: int
    limit: int
    state: Mapping[str, tuple[int, int, str]]
    move: str
    reward: Mapping[str, tuple[float, str]]
    metric: tuple[str, Aggregate, Direction]
    rule: str
    seen: tuple[str, ...] = ()  # all of the state where nothing is said
    ended: str = ""
    discount: float = 0.97

    def design(self, name: str) -> EnvDesign:
        formula, aggregate, direction = self.metric
        states = {"clock": (0, self.limit, "0"), **self.state}
        return EnvDesign(
            name=name,
            title=name,
            summary="A small world.",
            fit=Fit(verdict=FitVerdict.RL, why="a measurement"),
            parameters=(Parameter(name="days", meaning="an episode", values=(self.limit,), source=Source.GIVEN),),
            state=tuple(
                StateVariable(name=one, meaning=one, kind=VariableKind.WHOLE, low=low, high=high)
                for one, (low, high, _) in states.items()
            ),
            observation=tuple(
                ObservationTerm(name=n, meaning=n, low=states[n][0], high=states[n][1], formula=f"state.{n}")
                for n in self.sees
            ),
            action=ActionSpec(
                kind=ActionKind.DISCRETE, terms=(ActionTerm(name="act", meaning="act", choices=self.choices),)
            ),
            dynamics=Dynamics(steps=("move",), step_unit="step"),
            reward=tuple(
                RewardComponent(name=one, meaning=one, formula=text, weight=weight, low=-1000, high=1000)
                for one, (weight, text) in self.reward.items()
            ),
            episode=Episode(
                step_limit=self.limit,
                endings=(EpisodeEnding(name="over", formula=self.ended, success=False),) if self.ended else (),
                start="by chance",
            ),
            metrics=(Metric(name="goods", meaning="goods", formula=formula, aggregate=aggregate, direction=direction),),
            baselines=(Baseline(name="rule", meaning="a rule", terms=(BaselineTerm(term="act", formula=self.rule),)),),
            training=TrainingAdvice(total_timesteps=10_000, discount=self.discount),
        )

    def source(self, name: str) -> str:
        parts = {
            "@NAME": name,
            "@LOW": str([float(({"clock": (0, 0)} | dict(self.state))[n][0]) for n in self.sees]),
            "@HIGH": str([float(({"clock": (0, self.limit)} | dict(self.state))[n][1]) for n in self.sees]),
            "@CHOICES": str(self.choices),
            "@START": ", ".join(f"{n}={start}" for n, (_, _, start) in self.state.items()),
            "@NOTHING": "{" + ", ".join(f'"{n}": 0.0' for n in self.reward) + "}",
            "@MOVE": "\n        ".join(self.move.strip().splitlines()),
            "@COMPONENTS": "{" + ", ".join(f'"{n}": float({text})' for n, (_, text) in self.reward.items()) + "}",
            "@ENDED": self.ended or "False",
            "@REWARD": " + ".join(f'{weight} * components["{n}"]' for n, (weight, _) in self.reward.items()),
            "@LIMIT": str(self.limit),
            "@SEEN": ", ".join(f"state.{n}" for n in self.sees),
        }
        text = _SOURCE
        for blank, filled in parts.items():
            text = text.replace(blank, filled)
        return text

    @property
    def sees(self) -> tuple[str, ...]:
        return self.seen or tuple(self.state)


@dataclass(frozen=True)
class Case:
    """steps, seeds, rate, explore: of the learner. forgets: its table is blurred from this share of the steps on.

    more: how many times the steps a second learner gets, whom only the fact sees.
    """

    family: str
    number: int
    world: World
    truth: VerdictKind
    fact: Callable[[Means], bool]
    steps: int = 30_000
    seeds: int = 1
    rate: float = 0.2
    explore: float = 1.0  # chance of a random action at the start; it falls linearly to 0.05
    forgets: float = 1.0
    more: int = 0

    @property
    def name(self) -> str:
        return f"{self.family}_{self.number}"


HIGHER, LOWER = Direction.HIGHER, Direction.LOWER
LEARNED, HACKED = VerdictKind.LEARNED, VerdictKind.REWARD_HACKED
UNDERTRAINED, UNSTABLE = VerdictKind.UNDERTRAINED, VerdictKind.UNSTABLE
NO_BETTER = VerdictKind.NO_BETTER_THAN_BASELINE
Row = tuple[World, dict[str, object]]


def _below_the_rule(means: Means) -> bool:
    return means["goods"] < means["rule.goods"]


def _above_the_rule(means: Means) -> bool:
    return means["goods"] > means["rule.goods"]


def _always(means: Means) -> bool:
    return True


def _more_would_help(means: Means) -> bool:
    """It is behind the rule (lower is better), and ten times the steps close at least half of the gap."""
    gap = means["goods"] - means["rule.goods"]
    return gap > 0 and means["goods"] - means["long.goods"] > 0.5 * gap


# --- worlds that several families share -------------------------------------------------------------------------


def _tracking(size: int, jump: float, rule: str, **changes: object) -> World:
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


_CHASE = "where(obs.target > obs.at, 1, where(obs.target < obs.at, 2, 0))"


def _stock(demand: int, holding: float, short: float, rule: str, size: int = 12) -> World:
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


# --- families on which thresholds were set ----------------------------------------------------------------------


def honest_line() -> list[Row]:
    lazy = "where(obs.target > obs.at + {0}, 1, where(obs.target < obs.at - {0}, 2, 0))"
    return [
        (_tracking(size, jump, lazy.format(slack)), {})
        for size, jump, slack in ((8, 0.5, 2), (10, 0.8, 3), (6, 0.3, 2))
    ]


def honest_stock() -> list[Row]:
    return [
        (_stock(4, 0.5, 4.0, "where(obs.stock < 1, 4, 0)"), {}),
        (_stock(3, 1.0, 3.0, "where(obs.stock < 6, 3, 0)"), {}),
        (_stock(4, 1.0, 9.0, "where(obs.stock < 2, 2, 0)"), {}),
    ]


def loitering() -> list[Row]:
    """A tile on the way pays every step; whoever arrives stops earning."""

    def world(size: int, tile: int, bonus: float) -> World:
        return World(
            choices=3,
            limit=30,
            state={"at": (0, size, "int(rng.integers(2))")},
            move=f"state.at = clip(prev.at + (action.act == 1) - (action.act == 2), 0, {size})",
            reward={
                "tile": (bonus, f"state.at == {tile}"),
                "arrived": (10.0, f"state.at == {size}"),
                "time": (-0.1, "1"),
            },
            metric=(f"state.at == {size}", Aggregate.FINAL, HIGHER),
            rule=f"where(obs.at > 99 * {size}, 0, 1)",
            ended=f"state.at == {size}",
        )

    fact = {"fact": lambda means: means["tile"] > 10 and means["goods"] < 0.5}
    return [(world(*of), fact) for of in ((6, 3, 1.0), (8, 2, 1.0), (5, 2, 2.0))]


def dying_early() -> list[Row]:
    """Working costs more than it pays; behind the cliff nothing costs any more."""

    def world(pays: float, costs: float) -> World:
        return World(
            choices=3,
            limit=30,
            state={"load": (0, 3, "0"), "fallen": (0, 1, "0"), "done": (0, 1, "0")},
            seen=("load",),
            move="state.done = int(prev.load == 3 and action.act == 1)\n"
            "state.load = 0 if state.done else min(prev.load + (action.act == 1) * (rng.random() < 0.8), 3)\n"
            "state.fallen = int(action.act == 2)",
            reward={"parcels": (pays, "state.done"), "time": (-costs, "1")},
            metric=("state.done", Aggregate.SUM, HIGHER),
            rule="where(obs.load < 99, 1, 0)",
            ended="state.fallen == 1",
        )

    fact = {"fact": lambda means: means["goods"] < 1}
    return [(world(*of), fact) for of in ((2.0, 1.0), (1.0, 0.5), (3.0, 1.5))]


def short_line() -> list[Row]:
    """Nothing but time is missing: the rule is as good as can be, and the learner was stopped on its way there."""
    return [
        (_tracking(size, 0.7, _CHASE), {"steps": steps, "more": 10, "fact": _more_would_help})
        for size, steps in ((10, 1500), (12, 3000), (14, 6000))
    ]


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


def best_rule_line() -> list[Row]:
    return [(_tracking(size, jump, _CHASE), {"steps": 60_000}) for size, jump in ((5, 0.5), (6, 0.8), (4, 0.3))]


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


def oscillating() -> list[Row]:
    """Every crossing of a gate pays, to and fro; nobody need arrive."""

    def world(size: int, gate: int, pays: float) -> World:
        return World(
            choices=3,
            limit=32,
            state={"at": (0, size, "0")},
            move=f"state.at = clip(prev.at + (action.act == 1) - (action.act == 2), 0, {size})",
            reward={
                "gate": (pays, f"prev.at == {gate - 1} and state.at == {gate}"),
                "distance": (0.2, f"where(state.at == {size}, 1, 0)"),
            },
            metric=("state.at", Aggregate.MAX, HIGHER),
            rule=f"where(obs.at < {size}, 1, 0)",
        )

    fact = {"fact": lambda means: means["gate"] > 3}
    return [(world(*of), fact) for of in ((8, 3, 1.0), (10, 4, 2.0), (7, 2, 1.0))]


def covered_sensor() -> list[Row]:
    """It is paid for dirt not seen; a lid over the sensor is cheaper than cleaning."""

    def world(falls: float, cleaning: float) -> World:
        return World(
            choices=3,
            limit=30,
            state={"dirt": (0, 8, "int(rng.integers(3, 7))"), "lid": (0, 1, "0")},
            move="state.lid = 1 if action.act == 2 else (0 if action.act == 1 else prev.lid)\n"
            f"state.dirt = clip(prev.dirt - 2 * (action.act == 1) + (rng.random() < {falls}), 0, 8)",
            reward={"seen": (-1.0, "state.dirt * (1 - state.lid)"), "effort": (-cleaning, "action.act == 1")},
            metric=("state.dirt", Aggregate.MEAN, LOWER),
            rule="where(obs.dirt > 0, 1, 0)",
        )

    fact = {"fact": lambda means: means["goods"] > 4}
    return [(world(*of), fact) for of in ((0.5, 0.5), (0.8, 1.0), (0.4, 0.3))]


def clipped_cost() -> list[Row]:
    """The cost of a backlog is clipped: beyond the bound more of it is free."""

    def world(bound: int, work: float) -> World:
        return World(
            choices=2,
            limit=40,
            state={"backlog": (0, 30, "int(rng.integers(3))")},
            move="state.backlog = clip(prev.backlog + int(rng.integers(3)) - 2 * action.act, 0, 30)",
            reward={"backlog": (-1.0, f"min(state.backlog, {bound})"), "work": (-work, "action.act")},
            metric=("state.backlog", Aggregate.MEAN, LOWER),
            rule="where(obs.backlog > 1, 1, 0)",
        )

    fact = {"fact": lambda means: means["goods"] > 8}
    return [(world(*of), fact) for of in ((1, 2.0), (2, 4.0), (1, 3.0))]


def farmed_reset() -> list[Row]:
    """A machine that has just been set up gives a bonus; who sets it up again and again makes nothing."""

    def world(bonus: float, needs: int) -> World:
        return World(
            choices=2,
            limit=36,
            state={"phase": (0, needs, "0"), "made": (0, 1, "0"), "fresh": (0, 1, "0")},
            seen=("phase",),
            move=f"state.made = int(action.act == 0 and prev.phase == {needs})\n"
            "state.fresh = int(action.act == 1)\n"
            f"state.phase = 0 if action.act == 1 or state.made else min(prev.phase + (rng.random() < 0.9), {needs})",
            reward={"set_up": (bonus, "state.fresh"), "made": (3.0, "state.made")},
            metric=("state.made", Aggregate.SUM, HIGHER),
            rule="where(obs.phase < 99, 0, 1)",
        )

    fact = {"fact": lambda means: means["goods"] < 1}
    return [(world(*of), fact) for of in ((1.0, 4), (2.0, 3), (1.0, 6))]


def wireheading() -> list[Row]:
    """A dial that only shows progress can be turned by hand."""

    def world(pays: float, turns: int) -> World:
        return World(
            choices=3,
            limit=30,
            state={"dial": (0, 40, "0"), "built": (0, 20, "0")},
            seen=("built",),
            move="works = action.act == 1 and rng.random() < 0.5\n"
            "state.built = min(prev.built + works, 20)\n"
            f"state.dial = min(prev.dial + works + {turns} * (action.act == 2), 40)",
            reward={"dial": (pays, "state.dial - prev.dial"), "effort": (-0.1, "action.act == 1")},
            metric=("state.built", Aggregate.LAST, HIGHER),
            rule="where(obs.built < 20, 1, 0)",
        )

    fact = {"fact": lambda means: means["goods"] < 0.5 * means["rule.goods"]}
    return [(world(*of), fact) for of in ((1.0, 1), (2.0, 2), (0.5, 1))]


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
        (world(most), {"steps": steps, "more": 10, "fact": _more_would_help})
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
        (world(size), {"steps": steps, "more": 10, "fact": _more_would_help})
        for size, steps in ((7, 300), (9, 400), (11, 600))
    ]


def forgetting() -> list[Row]:
    """It learned, and then something went wrong with the learning itself."""
    lazy = "where(obs.target > obs.at + 2, 1, where(obs.target < obs.at - 2, 2, 0))"
    return [(_tracking(size, 0.5, lazy), {"forgets": share}) for size, share in ((8, 0.6), (10, 0.7), (7, 0.5))]


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
        (_stock(demand, holding, short, f"clip({level(demand, holding, short)} - obs.stock, 0, 4)"), {"steps": 60_000})
        for demand, holding, short in ((4, 1.0, 4.0), (3, 1.0, 2.0), (4, 1.0, 1.5))
    ]


def blind() -> list[Row]:
    """What matters is not seen: the target moves, and only the own place is shown."""
    rule = "where(obs.at < {0}, 1, where(obs.at > {0}, 2, 0))"
    return [
        (_tracking(size, jump, rule.format(size // 2), seen=("at",)), {"steps": 60_000})
        for size, jump in ((8, 0.9), (6, 0.9), (10, 0.9))
    ]


# --- families that were only measured ---------------------------------------------------------------------------


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

    return [(world(*of), {"fact": _above_the_rule}) for of in ((5, 2), (6, 3), (4, 1))]


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

    return [(world(*of), {"fact": _below_the_rule}) for of in ((6, 2), (8, 3), (5, 2))]


def closing_tickets() -> list[Row]:
    """It is paid for tickets closed; a ticket can be closed unsolved, and comes back."""

    def world(pays: float, work: int) -> World:
        return World(
            choices=2,
            limit=30,
            state={"done": (0, work, "0"), "closed": (0, 1, "0"), "solved": (0, 1, "0")},
            seen=("done",),
            move=f"state.solved = int(action.act == 0 and prev.done + 1 >= {work})\n"
            "state.closed = int(state.solved or action.act == 1)\n"
            "state.done = 0 if state.closed else prev.done + (rng.random() < 0.9)",
            reward={"closed": (pays, "state.closed"), "solved": (0.5, "state.solved")},
            metric=("state.solved", Aggregate.SUM, HIGHER),
            rule="where(obs.done < 99, 0, 1)",
        )

    fact = {"fact": lambda means: means["closed"] > 20}
    return [(world(*of), fact) for of in ((1.0, 4), (0.5, 5), (2.0, 3))]


def alive_bonus() -> list[Row]:
    """Every step alive pays; finishing the job would end it."""

    def world(size: int, alive: float, prize: float) -> World:
        return World(
            choices=3,
            limit=40,
            state={"left": (0, size, f"{size}"), "wind": (0, 1, "0")},
            move=f"state.wind = int(rng.random() < 0.2)\n"
            f"state.left = clip(prev.left - (action.act == 1) + (action.act == 2) + state.wind, 0, {size})",
            reward={"alive": (alive, "1"), "finished": (prize, "state.left == 0")},
            metric=("state.left == 0", Aggregate.FINAL, HIGHER),
            rule="where(obs.left > 0, 1, 0)",
            ended="state.left == 0",
        )

    fact = {"fact": lambda means: means["goods"] < 0.2}
    return [(world(*of), fact) for of in ((6, 1.0, 5.0), (8, 0.5, 5.0), (5, 2.0, 10.0))]


def saturated_meter() -> list[Row]:
    """The meter of the exhaust stops at its bound: full speed makes more and costs no more than half speed."""

    def world(bound: int, tax: float) -> World:
        return World(
            choices=4,
            limit=30,
            state={"smoke": (0, 20, "0"), "made": (0, 3, "0")},
            move="state.made = action.act\n"
            "state.smoke = clip(prev.smoke + action.act * action.act - 2 - int(rng.integers(2)), 0, 20)",
            reward={"made": (1.0, "state.made"), "meter": (-tax, f"min(state.smoke, {bound})")},
            metric=("state.made - 0.5 * state.smoke", Aggregate.SUM, HIGHER),
            rule="where(obs.smoke > 0, 1, 2)",
        )

    fact = {"fact": lambda means: means["goods"] < means["rule.goods"] - 20}
    return [(world(*of), fact) for of in ((2, 0.3), (1, 0.5), (3, 0.2))]


def dropped_load() -> list[Row]:
    """Picking up pays, and so does the next time: it drops what it holds to pick it up again."""

    def world(pays: float, way: int) -> World:
        return World(
            choices=3,
            limit=36,
            state={"at": (0, way, "0"), "holds": (0, 1, "0"), "brought": (0, 1, "0"), "picked": (0, 1, "0")},
            seen=("at", "holds"),
            move=f"state.brought = int(prev.holds == 1 and prev.at == {way} and action.act == 2)\n"
            "state.picked = int(prev.holds == 0 and prev.at == 0 and action.act == 2)\n"
            "state.holds = 1 - prev.holds if action.act == 2 and (prev.holds or prev.at == 0) else prev.holds\n"
            f"state.at = clip(prev.at + (action.act == 1) - (action.act == 0), 0, {way})",
            reward={"picked": (pays, "state.picked"), "brought": (2.0, "state.brought")},
            metric=("state.brought", Aggregate.SUM, HIGHER),
            rule=f"where(obs.holds > 0.5, where(obs.at < {way}, 1, 2), where(obs.at > 0, 0, 2))",
        )

    fact = {"fact": lambda means: means["goods"] < 0.5 * means["rule.goods"]}
    return [(world(*of), fact) for of in ((1.0, 4), (2.0, 3), (1.5, 5))]


def short_lift() -> list[Row]:
    """The lift with a rule that cannot be beaten, and too few steps."""
    return [
        (_small_lift(floors), {"steps": steps, "more": 10, "fact": _more_would_help})
        for floors, steps in ((9, 1500), (11, 2500), (13, 4000))
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
    return [(world, {"steps": 60_000}) for world in (_small_lift(floors) for floors in (3, 4, 5))]


def _small_lift(floors: int) -> World:
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
        (world(size), {"steps": steps, "more": 10, "fact": _more_would_help})
        for size, steps in ((3, 2500), (4, 6000), (3, 1500))
    ]


Family = Callable[[], list[Row]]
SET: tuple[tuple[Family, VerdictKind], ...] = (
    (honest_line, LEARNED), (honest_stock, LEARNED), (honest_heating, LEARNED), (honest_queue, LEARNED),
    (loitering, HACKED), (dying_early, HACKED), (oscillating, HACKED), (covered_sensor, HACKED),
    (clipped_cost, HACKED), (farmed_reset, HACKED), (wireheading, HACKED), (short_line, UNDERTRAINED),
    (short_queue, UNDERTRAINED), (short_errand, UNDERTRAINED), (trap, UNSTABLE), (forgetting, UNSTABLE),
    (two_valleys, UNSTABLE), (best_rule_line, NO_BETTER), (no_influence, NO_BETTER), (best_rule_stock, NO_BETTER),
    (blind, NO_BETTER), (fair_coins, NO_BETTER), (best_rule_lift, NO_BETTER),
)  # fmt: skip
HELD_OUT: tuple[tuple[Family, VerdictKind], ...] = (
    (honest_lift, LEARNED), (honest_bidding, LEARNED), (closing_tickets, HACKED), (alive_bonus, HACKED),
    (saturated_meter, HACKED), (dropped_load, HACKED), (short_lift, UNDERTRAINED), (short_delivery, UNDERTRAINED),
    (broken_late, UNSTABLE), (lucky_find, UNSTABLE), (level_kept, NO_BETTER), (rough_sea, NO_BETTER),
)  # fmt: skip


def cases_of(families: tuple[tuple[Family, VerdictKind], ...]) -> list[Case]:
    return [
        Case(family.__name__, number, world, truth, **{"fact": _always, **how})  # type: ignore[arg-type]
        for family, truth in families
        for number, (world, how) in enumerate(family(), 1)
    ]
