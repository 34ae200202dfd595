"""Jobs: checking and training as the two jobs that the gateway follows."""

from __future__ import annotations

from collections.abc import AsyncIterator

from gateway import telling
from gateway.clients import Agents
from gateway.entries import Telling
from gateway.steps import Check, Train
from kit.contracts.runs import JobKey, RunOptions
from kit.contracts.said import CheckSaid, TrainSaid


class Checking:
    def __init__(self, agents: Agents, step: Check, options: RunOptions) -> None:
        self._agents = agents
        self._step = step
        self._seed = options.seed

    async def start(self, key: JobKey) -> str:
        return await self._agents.start_check(key, self._step.design, self._step.source, self._seed)

    def watch(self, key: JobKey, after: int) -> AsyncIterator[CheckSaid]:
        return self._agents.watch_check(key, after)

    def telling_of(self, said: CheckSaid) -> Telling | None:
        return telling.of_check(said) if said.report is None else None


class Training:
    def __init__(self, agents: Agents, step: Train, options: RunOptions) -> None:
        self._agents = agents
        self._step = step
        self._options = options

    async def start(self, key: JobKey) -> str:
        return await self._agents.start_training(
            key, self._step.design, self._step.source, self._step.twin, self._options
        )

    def watch(self, key: JobKey, after: int) -> AsyncIterator[TrainSaid]:
        return self._agents.watch_training(key, after)

    def telling_of(self, said: TrainSaid) -> Telling | None:
        return telling.of_training(said) if said.outcome is None else None
