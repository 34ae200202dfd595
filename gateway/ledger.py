"""Ledger: the journal's half that talks to the database; plain calls that block, one transaction each."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

import sqlalchemy as sa

from gateway.entries import Place, Standing, Telling
from gateway.tables import EVENTS, RUNS, open_database
from gymwright.errors import RunIsOver, RunNotFound
from kit.contracts.runs import Run, RunEvent, RunState
from kit.contracts.spending import Spent

BATCH: Final = 200  # events read at once


class Ledger:
    """RunNotFound for an unknown run; what the database raises passes through."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)

    def close(self) -> None:
        self._engine.dispose()

    def open(self, run: Run) -> Run:
        row = {"id": run.id, "created_at_s": run.created_at_s, "run": run.model_dump_json()}
        with suppress(sa.exc.IntegrityError), self._engine.begin() as connection:
            connection.execute(RUNS.insert().values(**row, at_rest=False, cancel_asked=False, last_sequence=0))
        return self.run(run.id)

    def run(self, run_id: str) -> Run:
        with self._engine.connect() as connection:
            return _read_run(connection, run_id)

    def runs(self, count: int, before: tuple[float, str] | None) -> tuple[Run, ...]:
        query = sa.select(RUNS.c.run).order_by(RUNS.c.created_at_s.desc(), RUNS.c.id.desc()).limit(count)
        if before is not None:
            query = query.where(sa.tuple_(RUNS.c.created_at_s, RUNS.c.id) < sa.tuple_(*map(sa.literal, before)))
        with self._engine.connect() as connection:
            return tuple(Run.model_validate_json(row.run) for row in connection.execute(query))

    def under_way(self) -> tuple[Run, ...]:
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(RUNS.c.run).where(RUNS.c.at_rest.is_(False)))
            return tuple(Run.model_validate_json(row.run) for row in rows)

    def tell(self, run_id: str, place: Place, telling: Telling, standing: Standing) -> None:
        with self._engine.connect() as connection, connection.begin() as transaction:
            row = _locked(connection, run_id)
            number = place.number if place.number is not None else _next_number(connection, run_id, place)
            if row.at_rest or _at(connection, run_id, place.model_copy(update={"number": number})) is not None:
                transaction.rollback()
                return
            _write(connection, row, place.model_copy(update={"number": number}), telling, standing)

    def reply(self, run_id: str, waiting: RunState, place: Place, telling: Telling, standing: Standing) -> Run | None:
        """Tell what the user says to a run that waits for it in this state; None where it does not."""
        with self._engine.connect() as connection, connection.begin() as transaction:
            row = _locked(connection, run_id)
            if Run.model_validate_json(row.run).state is not waiting:
                transaction.rollback()
                return None
            return _write(connection, row, place, telling, standing)

    def told(self, run_id: str, place: Place) -> RunEvent | None:
        """What was told at this place."""
        with self._engine.connect() as connection:
            found = _at(connection, run_id, place)
            return RunEvent.model_validate_json(found) if found is not None else None

    def all_told(self, run_id: str, step: str) -> tuple[RunEvent, ...]:
        """All that was told at places of this name, oldest first."""
        query = sa.select(EVENTS.c.event).where(EVENTS.c.run_id == run_id, EVENTS.c.step == step)
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(EVENTS.c.sequence))
            return tuple(RunEvent.model_validate_json(row.event) for row in rows)

    def reached(self, run_id: str, step: str) -> tuple[int, int]:
        query = (
            sa.select(EVENTS.c.attempt, EVENTS.c.number)
            .where(EVENTS.c.run_id == run_id, EVENTS.c.step == step)
            .order_by(EVENTS.c.attempt.desc(), EVENTS.c.number.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
            return (0, 0) if row is None else (row.attempt, row.number)

    def events(self, run_id: str, after: int) -> tuple[RunEvent, ...]:
        query = (
            sa.select(EVENTS.c.event)
            .where(EVENTS.c.run_id == run_id, EVENTS.c.sequence > after)
            .order_by(EVENTS.c.sequence)
            .limit(BATCH)
        )
        with self._engine.connect() as connection:
            return tuple(RunEvent.model_validate_json(row.event) for row in connection.execute(query))

    def ask_cancel(self, run_id: str) -> Run:
        with self._engine.begin() as connection:
            connection.execute(RUNS.update().where(RUNS.c.id == run_id).values(cancel_asked=True))
            run = _read_run(connection, run_id)
            if run.state.at_rest:
                raise RunIsOver(f"Run {run_id} is over ({run.state}); there is nothing to cancel.")
            return run

    def cancel_asked(self, run_id: str) -> bool:
        with self._engine.connect() as connection:
            return bool(connection.scalar(sa.select(RUNS.c.cancel_asked).where(RUNS.c.id == run_id)))


def _read_run(connection: sa.Connection, run_id: str) -> Run:
    found = connection.scalar(sa.select(RUNS.c.run).where(RUNS.c.id == run_id))
    if found is None:
        raise RunNotFound(_unknown(run_id))
    return Run.model_validate_json(found)


def _locked(connection: sa.Connection, run_id: str) -> sa.Row[tuple[object, ...]]:
    """The run's row. Writing first takes its lock, on both databases, so that numbers have no gaps and no doubles."""
    ours = RUNS.c.id == run_id
    connection.execute(RUNS.update().where(ours).values(last_sequence=RUNS.c.last_sequence + 1))
    row = connection.execute(sa.select(RUNS).where(ours)).one_or_none()
    if row is None:
        raise RunNotFound(_unknown(run_id))
    return row


def _write(
    connection: sa.Connection, row: sa.Row[tuple[object, ...]], place: Place, telling: Telling, standing: Standing
) -> Run:
    """row: as _locked gives it. The run as it stands then."""
    state = telling.state
    if row.cancel_asked and not state.at_rest:
        state = RunState.CANCELLING
    event = RunEvent(
        run_id=row.id,
        sequence=row.last_sequence,
        at_s=time.time(),
        state=state,
        **{name: getattr(telling, name) for name in Telling.model_fields if name != "state"},
    )
    run = _moved_on(Run.model_validate_json(row.run), event, standing)
    connection.execute(
        EVENTS.insert().values(
            run_id=row.id,
            sequence=event.sequence,
            step=place.step,
            attempt=place.attempt,
            number=place.number,
            event=event.model_dump_json(exclude_defaults=True),
        )
    )
    changes = {"run": run.model_dump_json(), "at_rest": state.at_rest}
    connection.execute(RUNS.update().where(RUNS.c.id == row.id).values(**changes))
    return run


def _at(connection: sa.Connection, run_id: str, place: Place) -> str | None:
    """The event told at this place."""
    query = sa.select(EVENTS.c.event).where(
        EVENTS.c.run_id == run_id,
        EVENTS.c.step == place.step,
        EVENTS.c.attempt == place.attempt,
        EVENTS.c.number == place.number,
    )
    found: str | None = connection.scalar(query)
    return found


def _next_number(connection: sa.Connection, run_id: str, place: Place) -> int:
    query = sa.select(sa.func.coalesce(sa.func.max(EVENTS.c.number), -1) + 1).where(
        EVENTS.c.run_id == run_id, EVENTS.c.step == place.step, EVENTS.c.attempt == place.attempt
    )
    return int(connection.scalar(query) or 0)


def _moved_on(run: Run, event: RunEvent, standing: Standing) -> Run:
    changes: dict[str, object] = {"state": event.state, **standing.model_dump(exclude_none=True)}
    changes["question"] = (event.question or run.question) if event.state is RunState.ASKING else ""
    if event.used is not None:
        changes["spent"] = (run.spent or Spent()).plus(event.used)
    if event.ended is not None:
        changes |= {"reason": event.ended.reason, "ended_at_s": event.at_s}
    return run.model_copy(update=changes)


def _unknown(run_id: str) -> str:
    return f"No run is called {run_id[:80]!r}; `gymwright list` shows them all."
