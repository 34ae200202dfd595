"""Tables: the runs and their events, in the database that the durable steps use too (SQLite or PostgreSQL)."""

from __future__ import annotations

import re
from typing import Final

import sqlalchemy as sa

from kit.settings import SettingsWrong

METADATA: Final = sa.MetaData()

RUNS: Final = sa.Table(
    "gymwright_runs",
    METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("created_at_s", sa.Double, nullable=False),
    sa.Column("at_rest", sa.Boolean, nullable=False),
    sa.Column("cancel_asked", sa.Boolean, nullable=False),
    sa.Column("last_sequence", sa.Integer, nullable=False),
    sa.Column("run", sa.Text, nullable=False),  # the Run as JSON
    sa.Index("gymwright_runs_by_time", "created_at_s", "id"),
)

EVENTS: Final = sa.Table(
    "gymwright_events",
    METADATA,
    sa.Column("run_id", sa.String(64), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    # Where the event comes from: a step that is repeated after a crash says the same things again, and
    # what was said before at this place is not said twice.
    sa.Column("step", sa.String(64), nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("event", sa.Text, nullable=False),  # the RunEvent as JSON
    sa.UniqueConstraint("run_id", "step", "attempt", "number"),
)


def open_database(url: str) -> sa.Engine:
    """The database at `url`, with our tables made where they are missing; SettingsWrong where that can't be done."""
    try:
        engine = sa.create_engine(driver_url(url))
        if engine.dialect.name == "sqlite":
            sa.event.listen(engine, "connect", _set_up_sqlite)
        METADATA.create_all(engine)
    except sa.exc.DBAPIError as problem:
        raise SettingsWrong(f"The database {_shown(url)} can't be used: {problem.orig}.") from None
    except (sa.exc.ArgumentError, ModuleNotFoundError) as problem:
        raise SettingsWrong(f"{_shown(url)} is no database's URL: {problem}.") from None
    return engine


def driver_url(url: str) -> sa.URL:
    """A plain postgresql:// means psycopg 3, as it does to dbos."""
    parsed = sa.make_url(url)
    return parsed.set(drivername="postgresql+psycopg") if parsed.drivername.startswith("postgres") else parsed


def _shown(url: str) -> str:
    """Without its password, for messages."""
    return re.sub(r"://[^/@]*@", "://***@", url)


def _set_up_sqlite(connection: object, _: object) -> None:
    """Readers never wait for the writer, and writers wait for each other instead of failing."""
    connection.isolation_level = "IMMEDIATE"  # type: ignore[attr-defined]
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]
