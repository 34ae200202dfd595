"""Worlds: small designs with their environments, and the cases that are made of them."""

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
"""What the trained policy does on the test seeds: the mean of each metric and component; "rule.NAME": the rule's;
"always.NAME": the best constant's.

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


def below_the_rule(means: Means) -> bool:
    return means["goods"] < means["rule.goods"]


def above_the_rule(means: Means) -> bool:
    return means["goods"] > means["rule.goods"]


def above_all(means: Means) -> bool:
    """Beyond the rule and the best constant, which is of no less account."""
    return means["goods"] > max(means["rule.goods"], means["always.goods"])


def below_all(means: Means) -> bool:
    return means["goods"] < min(means["rule.goods"], means["always.goods"])


def always(means: Means) -> bool:
    return True


def more_would_help(means: Means) -> bool:
    """It is behind the rule (lower is better), and ten times the steps close at least half of the gap."""
    gap = means["goods"] - means["rule.goods"]
    return gap > 0 and means["goods"] - means["long.goods"] > 0.5 * gap


CHASE = "where(obs.target > obs.at, 1, where(obs.target < obs.at, 2, 0))"
