"""Opening: puts the gateway together from plain values, and takes it apart in order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.checks import Checks
from gateway.clients import Addresses, Agents, Deadlines
from gateway.conducting import Conductor
from gateway.durable import Durable
from gateway.journal import Journal
from gateway.patience import Patience
from gateway.performing import Performer
from gateway.runs import Runs
from gateway.steady import Steady
from gateway.steps import Rules
from gymwright.tls import MutualTls
from kit.artifacts import ArtifactStore
from kit.contracts.records import Record


class GatewayParts(Record):
    """database: an SQLAlchemy URL, SQLite or PostgreSQL. artifacts: a folder or a URL."""

    database: str
    artifacts: str
    executor_id: str = "gateway"
    addresses: Addresses = Addresses()
    rules: Rules = Rules()
    patience: Patience = Patience()
    deadlines: Deadlines = Deadlines()
    max_cost_usd: float | None = None  # for language models in each run


@asynccontextmanager
async def opened(parts: GatewayParts, token: str | None = None, tls: MutualTls | None = None) -> AsyncIterator[Runs]:
    """The runs, with those under way taken up; on leaving, runs under way are dropped for the next process."""
    journal = Journal(parts.database)
    artifacts = ArtifactStore.at(parts.artifacts)
    agents = Agents(parts.addresses, token, parts.deadlines, tls)
    steady = Steady(journal, parts.patience)
    conductor = Conductor(Performer(agents, journal, artifacts, steady, parts.max_cost_usd), journal, artifacts, steady)
    checks = Checks(agents)
    durable = Durable(parts.database, parts.executor_id, conductor, parts.rules)
    try:
        durable.launch()
        runs = Runs(journal, durable, artifacts, checks)
        await runs.take_up()
        yield runs
    finally:
        await durable.close()
        await checks.close()
        await agents.close()
        journal.close()
