"""The journal: numbers without gaps, each thing once, and a run that rests stays at rest."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from gateway.entries import Place, Standing, Telling
from gateway.journal import Journal
from gymwright.errors import NotReady, RunIsOver, RunNotFound, ServiceUnavailable, StorageUnavailable
from kit.contracts.runs import Run, RunEnded, RunState
from kit.contracts.spending import Spent, Usage

RUN = Run(id="kiosk-000001", problem="Sell newspapers", state=RunState.STARTING, created_at_s=1.0)
ENDED = Telling(state=RunState.FAILED, message="Failed.", ended=RunEnded(state=RunState.FAILED, reason="It broke."))


@contextmanager
def journal(folder):
    opened = Journal(f"sqlite:///{folder}/gymwright.db")
    try:
        yield opened
    finally:
        opened.close()


def saying(message: str, state: RunState = RunState.CHECKING) -> Telling:
    return Telling(state=state, message=message)


async def messages(book: Journal, after: int = 0) -> list[str]:
    return [event.message for event in await book.events(RUN.id, after)]


async def test_what_was_told_at_a_place_is_not_told_again(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        for number in (0, 1, 1, 0, 2):
            await book.tell(RUN.id, Place(step="check-1", number=number), saying(f"said {number}"))
        await book.tell(RUN.id, Place(step="check-1", attempt=1, number=1), saying("said again, by another attempt"))
        assert await messages(book) == ["said 0", "said 1", "said 2", "said again, by another attempt"]
        assert await book.reached(RUN.id, "check-1") == (1, 1)
        assert await book.reached(RUN.id, "train-1") == (0, 0)


async def test_many_writers_leave_no_gap_and_no_double(tmp_path):
    with journal(tmp_path) as book, journal(tmp_path) as other:
        await book.open(RUN)
        places = [Place(step="notes", number=None) for _ in range(60)]
        await asyncio.gather(
            *(
                (other if number % 2 else book).tell(RUN.id, place, saying("said"))
                for number, place in enumerate(places)
            )
        )
        assert [event.sequence for event in await book.events(RUN.id, 0)] == list(range(1, 61))


async def test_a_run_at_rest_says_nothing_more_and_can_not_be_cancelled(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        await book.tell(RUN.id, Place(step="end"), ENDED)
        await book.tell(RUN.id, Place(step="late"), saying("too late"))
        with pytest.raises(RunIsOver):
            await book.ask_cancel(RUN.id, saying("cancel"))
        run = await book.run(RUN.id)
        assert await messages(book) == ["Failed."]
        assert (run.state, run.reason, run.ended_at_s is not None) == (RunState.FAILED, "It broke.", True)
        assert await book.under_way() == ()


async def test_once_cancelling_a_run_is_nothing_else_until_it_rests(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        await book.ask_cancel(RUN.id, saying("cancel", RunState.CANCELLING))
        await book.ask_cancel(RUN.id, saying("cancel", RunState.CANCELLING))  # twice is as good as once
        await book.tell(RUN.id, Place(step="check-1", number=7), saying("one more finding"))
        states = [event.state for event in await book.events(RUN.id, 0)]
        assert states == [RunState.CANCELLING, RunState.CANCELLING]
        await asyncio.wait_for(book.cancel_asked(RUN.id), 1)


async def test_a_watcher_sees_what_another_process_writes(tmp_path):
    with journal(tmp_path) as book, journal(tmp_path) as other:
        await book.open(RUN)
        watching = asyncio.create_task(_all(book))
        await other.tell(RUN.id, Place(step="check-1"), saying("from afar"))
        await other.tell(RUN.id, Place(step="end"), ENDED)
        assert await asyncio.wait_for(watching, 5) == ["from afar", "Failed."]


async def test_a_watcher_gets_more_events_than_one_read_holds(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        for number in range(450):
            await book.tell(RUN.id, Place(step="train-1", number=number), saying("said"))
        await book.tell(RUN.id, Place(step="end"), ENDED)
        assert len(await _all(book)) == 451


async def test_a_gateway_that_stops_breaks_off_its_watches(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        await book.tell(RUN.id, Place(step="design"), saying("designed"))
        watch = book.watch(RUN.id, 0)
        assert (await anext(watch)).message == "designed"
        waiting = asyncio.ensure_future(anext(watch))
        book.end_watches()
        with pytest.raises(ServiceUnavailable, match="stopping"):
            await asyncio.wait_for(waiting, 10)


async def test_what_the_user_says_is_waited_for_and_taken_once(tmp_path):
    with journal(tmp_path) as book, journal(tmp_path) as other:
        await book.open(RUN)
        place = Place(step="answer", attempt=1)
        with pytest.raises(NotReady, match="STARTING, not ASKING"):
            await other.reply(RUN.id, RunState.ASKING, place, saying("early", RunState.DESIGNING))
        await book.tell(RUN.id, Place(step="ask"), Telling(state=RunState.ASKING, message="?", question="How many?"))
        assert (await book.run(RUN.id)).question == "How many?"
        waiting = asyncio.create_task(book.when_told(RUN.id, place))
        said = Telling(state=RunState.DESIGNING, message="You answered.", answer="Five.")
        assert (await other.reply(RUN.id, RunState.ASKING, place, said)).question == ""  # by another process
        with pytest.raises(NotReady, match="DESIGNING, not ASKING"):
            await other.reply(RUN.id, RunState.ASKING, place, said)
        assert (await asyncio.wait_for(waiting, 10)).answer == "Five."


async def test_what_models_took_is_added_up_in_the_run(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        for cost in (0.25, None, 0.5):
            used = Usage(model="a model", purpose="design", input_tokens=10, output_tokens=5, cost_usd=cost)
            place = Place(step="used", number=None)
            await book.tell(RUN.id, place, Telling(state=RunState.DESIGNING, message="used", used=used))
        spent = (await book.run(RUN.id)).spent
        assert spent == Spent(calls=3, input_tokens=30, output_tokens=15, cost_usd=0.75, unpriced_calls=1)
        assert [event.used.cost_usd for event in await book.all_told(RUN.id, "used")] == [0.25, None, 0.5]


async def test_opening_a_run_again_returns_it_as_it_stands(tmp_path):
    with journal(tmp_path) as book:
        await book.open(RUN)
        await book.tell(RUN.id, Place(step="design"), saying("designed"), Standing(design_name="kiosk"))
        again = await book.open(RUN.model_copy(update={"problem": "something else"}))
        assert (again.problem, again.design_name) == ("Sell newspapers", "kiosk")


async def test_an_unknown_run_is_not_found(tmp_path):
    with journal(tmp_path) as book:
        for call in (
            book.run("nobody"),
            book.tell("nobody", Place(step="a"), saying("a")),
            book.ask_cancel("nobody", ENDED),
        ):
            with pytest.raises(RunNotFound, match="nobody"):
                await call


async def test_a_database_that_is_broken_is_storage_that_is_away(tmp_path):
    with journal(tmp_path) as book:
        with sa.create_engine(f"sqlite:///{tmp_path}/gymwright.db").begin() as connection:
            connection.execute(sa.text("DROP TABLE gymwright_runs"))
        with pytest.raises(StorageUnavailable, match="no such table"):
            await book.run(RUN.id)


async def _all(book: Journal) -> list[str]:
    return [event.message async for event in book.watch(RUN.id, 0)]
