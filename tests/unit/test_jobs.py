"""Jobs: started once for each key, watched by number, cancelled at once, ended when nobody wants them."""

from __future__ import annotations

import asyncio

import pytest

from gymwright.errors import GymwrightError, JobNotFound, SandboxUnavailable
from kit.contracts.records import Record
from kit.contracts.runs import JobKey
from kit.jobs import JobBoard

KEY = JobKey(run_id="run", step="check")


class Word(Record):
    text: str


@pytest.fixture
async def board():
    made: JobBoard[Word] = JobBoard(lease_s=0.2)
    yield made
    await made.close()


def saying(*texts: str, then: asyncio.Event | None = None, failure: Exception | None = None):
    async def work(say) -> None:
        for text in texts:
            say(Word(text=text))
        if then is not None:
            await then.wait()
            say(Word(text="after"))
        if failure is not None:
            raise failure

    return work


async def heard(board: JobBoard[Word], after: int = 0) -> list[tuple[int, str]]:
    return [(number, word.text) async for number, word in board.watch(KEY, after)]


async def test_a_watcher_hears_everything_numbered_from_one(board):
    board.start(KEY, saying("a", "b"))
    assert await heard(board) == [(1, "a"), (2, "b")]


async def test_a_watcher_that_comes_back_hears_only_what_it_missed(board):
    board.start(KEY, saying("a", "b", "c"))
    assert await heard(board, after=2) == [(3, "c")]


async def test_two_watchers_hear_the_same_while_it_goes_on(board):
    gate = asyncio.Event()
    board.start(KEY, saying("a", then=gate))
    watchers = [asyncio.create_task(heard(board)) for _ in range(2)]
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(*watchers) == [[(1, "a"), (2, "after")]] * 2


async def test_starting_a_key_again_starts_nothing_new(board):
    board.start(KEY, saying("first"))
    board.start(KEY, saying("second"))
    assert await heard(board) == [(1, "first")]


async def test_a_job_that_failed_for_want_of_a_box_says_so_and_can_be_started_afresh(board):
    board.start(KEY, saying("a", failure=SandboxUnavailable("No box.")))
    with pytest.raises(SandboxUnavailable):
        await heard(board)
    board.start(KEY, saying("b"))
    assert await heard(board) == [(1, "b")]


async def test_a_bug_in_the_work_ends_the_watch_and_shows_nothing_of_its_inside(board):
    board.start(KEY, saying(failure=ZeroDivisionError("inside")))
    with pytest.raises(GymwrightError, match="unforeseen"):
        await heard(board)


async def test_an_unknown_job_is_not_found(board):
    with pytest.raises(JobNotFound, match="start it again"):
        await heard(board)


async def test_cancelling_ends_the_work_and_its_watchers(board):
    ended = asyncio.Event()

    async def work(say) -> None:
        say(Word(text="a"))
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    board.start(KEY, work)
    watcher = asyncio.create_task(heard(board))
    await asyncio.sleep(0)
    await board.cancel(KEY)
    assert ended.is_set()
    with pytest.raises(JobNotFound):
        await watcher


async def test_cancelling_what_is_unknown_does_nothing(board):
    await board.cancel(KEY)


async def test_a_job_that_nobody_watches_is_ended_when_its_lease_runs_out(board):
    ended = asyncio.Event()

    async def work(say) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    board.start(KEY, work)
    async with asyncio.timeout(10):
        await ended.wait()


async def test_a_job_that_is_watched_keeps_its_lease(board):
    gate = asyncio.Event()
    board.start(KEY, saying(then=gate))
    watcher = asyncio.create_task(heard(board))
    await asyncio.wait({watcher}, timeout=0.6)  # three leases
    gate.set()
    assert await watcher == [(1, "after")]
