"""Dictation: what a model writes is told in order, in few pieces, and nothing of it twice or never."""

from __future__ import annotations

import asyncio

import pytest

from gateway.dictation import MOST, Dictation, coalesced
from kit.contracts.runs import TextWritten

AN_HOUR_S = 3600.0


def piece(text: str, purpose: str = "design", restarts: bool = False) -> TextWritten:
    return TextWritten(purpose=purpose, text=text, restarts=restarts)


class Told(list[TextWritten]):
    """What was told; `some` is set with the first of it."""

    def __init__(self) -> None:
        super().__init__()
        self.some = asyncio.Event()

    async def __call__(self, text: TextWritten) -> None:
        self.append(text)
        self.some.set()


def test_pieces_of_one_purpose_become_one_and_a_restart_begins_another():
    pieces = [piece("a"), piece("b"), piece("c", restarts=True), piece("d", "code")]
    assert coalesced(pieces) == (piece("ab"), piece("c", restarts=True), piece("d", "code"))


async def test_what_is_written_in_a_short_time_is_told_as_one_and_what_is_left_at_the_end():
    told = Told()
    async with Dictation(told, anew=False, every_s=AN_HOUR_S) as dictation:
        for letter in "design":
            dictation.write(piece(letter))
        await dictation.flush()
        dictation.write(piece("ed"))
    assert told == [piece("design"), piece("ed")]


async def test_much_text_is_told_before_its_time():
    told = Told()
    async with Dictation(told, anew=False, every_s=AN_HOUR_S) as dictation:
        dictation.write(piece("x" * MOST))
        await asyncio.wait_for(told.some.wait(), 10)
    assert told == [piece("x" * MOST)]


async def test_little_text_is_told_in_its_time():
    told = Told()
    async with Dictation(told, anew=False, every_s=0.01) as dictation:
        dictation.write(piece("x"))
        await asyncio.wait_for(told.some.wait(), 10)


async def test_only_the_first_piece_of_a_later_try_restarts_the_text():
    told = Told()
    async with Dictation(told, anew=True, every_s=AN_HOUR_S) as dictation:
        dictation.write(piece("a"))
        await dictation.flush()
        dictation.write(piece("b"))
    assert told == [piece("a", restarts=True), piece("b")]


async def test_what_was_written_before_a_failure_is_told_too():
    told = Told()
    with pytest.raises(ValueError):
        async with Dictation(told, anew=False, every_s=AN_HOUR_S) as dictation:
            dictation.write(piece("half a"))
            raise ValueError
    assert told == [piece("half a")]
