"""Tuning: a search for hyperparameters, whose trials are measured in fresh boxes on validation seeds only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from kit.contracts.design import Hyperparameter, Metric
from kit.contracts.findings import Finding
from kit.contracts.outcomes import Evaluation, NamedNumber, TuningTrial
from services.trainer.inside.contests import sign_of
from services.trainer.inside.payloads import Bar, Knob, SearchClaim, SearchPayload
from services.trainer.turns import in_turns

COMPLETE_FIRST: Final = 4  # complete trials before any is pruned: with fewer the median is luck, and quality suffers
UNPRUNED: Final = 0.25  # of the budget, for the same reason

Values = tuple[NamedNumber, ...]


@dataclass(frozen=True)
class Tried:
    """What became of one trial. value: the primary metric on the validation seeds, by the judge; None: it has none."""

    value: float | None
    pruned: bool = False
    evaluations: tuple[Evaluation, ...] = ()
    findings: tuple[Finding, ...] = ()


Try = Callable[[int, tuple[Hyperparameter, ...], tuple[Bar, ...]], Awaitable[Tried]]
Ask = Callable[[SearchPayload], Awaitable[SearchClaim]]


@dataclass
class Search:
    """One search: `trials` of them, `at_once` at a time. Trial 0 has the defaults."""

    metric: Metric
    knobs: tuple[Knob, ...]
    defaults: Values
    trials: int
    at_once: int
    total: int
    seed: int
    done: dict[int, tuple[Values, Tried]] = field(default_factory=dict)
    running: dict[int, Values] = field(default_factory=dict)

    async def run(self, attempt: Try, ask: Ask) -> SearchClaim:
        """All trials; what the sampler says at the end, of importances. Where trial 0 fails, nothing more is tried."""
        await self._trial(0, self.defaults, attempt)
        if self.done[0][1].value is None:
            return SearchClaim()
        turn = asyncio.Lock()
        waiting = iter(range(1, self.trials))

        async def work(_: int) -> None:
            for number in waiting:
                async with turn:
                    values = (await ask(self._question(1))).suggested[0]
                    self.running[number] = values
                await self._trial(number, values, attempt)

        await in_turns(work, range(self.at_once), self.at_once)
        return await ask(self._question(0))

    @property
    def records(self) -> tuple[TuningTrial, ...]:
        return tuple(
            TuningTrial(number=number, hyperparameters=values, value=tried.value, pruned=tried.pruned)
            for number, (values, tried) in sorted(self.done.items())
        )

    @property
    def best(self) -> int:
        """The first of the best."""
        sign = sign_of(self.metric)
        valued = [(sign * trial.value, -trial.number) for trial in self.records if trial.value is not None]
        return -max(valued)[1] if valued else 0

    def settings_of(self, number: int) -> tuple[Hyperparameter, ...]:
        return tuple(Hyperparameter(name=one.name, value=one.value) for one in self.done[number][0])

    async def _trial(self, number: int, values: Values, attempt: Try) -> None:
        given = tuple(Hyperparameter(name=one.name, value=one.value) for one in values)
        complete = [one.evaluations for _, one in self.done.values() if one.value is not None]
        tried = await attempt(number, given, bars(self.metric, complete, self.total))
        self.running.pop(number, None)
        self.done[number] = (values, tried)

    def _question(self, ask: int) -> SearchPayload:
        return SearchPayload(
            knobs=self.knobs,
            maximise=sign_of(self.metric) > 0,
            trials=self.records,
            running=tuple(self.running.values()),
            ask=ask,
            seed=self.seed,
        )


def bars(metric: Metric, complete: Sequence[Sequence[Evaluation]], total: int) -> tuple[Bar, ...]:
    """The median of what the complete trials had reached by then, evaluation by evaluation; none before there are
    four of them, or in the first quarter of the budget."""
    if len(complete) < COMPLETE_FIRST:
        return ()
    sign = sign_of(metric)
    times = sorted({one.timesteps for trial in complete for one in trial if one.timesteps >= UNPRUNED * total})
    found = []
    for time in times:
        reached = [_reached(trial, metric.name, sign, time) for trial in complete]
        known = [value for value in reached if value is not None]
        if len(known) >= COMPLETE_FIRST:
            found.append(Bar(timesteps=time, primary=sign * median(known)))
    return tuple(found)


def _reached(trial: Sequence[Evaluation], name: str, sign: float, time: int) -> float | None:
    values = [sign * n.value for one in trial if one.timesteps <= time for n in one.metrics if n.name == name]
    return max(values, default=None)
