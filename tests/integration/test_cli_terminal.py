"""The command line on a terminal: what Ctrl-C means, and what colours and columns do."""

from __future__ import annotations

import re

import pytest

from tests.integration import scripts
from tests.integration.fake_gateway import Play, fake_gateway
from tests.integration.terminals import typed

PROBLEM = "Optimise hospital shift scheduling"
CTRL_C = "\x03"


@pytest.mark.parametrize(
    ("answer", "code", "cancelled"),
    [
        ("c\n", 4, True),
        ("d\n", 130, False),
        (CTRL_C, 130, False),  # a second Ctrl-C detaches
    ],
)
async def test_ctrl_c_asks_whether_to_cancel_or_detach(tmp_path, answer, code, cancelled) -> None:
    async with fake_gateway(Play(pause_after=4)) as (address, fake):
        keys = [("first draft", CTRL_C), ("or Enter to keep watching? ", answer)]
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path, keys=keys)
        assert (ended.code, fake.cancelled.is_set()) == (code, cancelled)
    assert "Traceback" not in ended.out
    assert ("Detached; the run goes on." in ended.out) is (code == 130)


async def test_enter_after_ctrl_c_keeps_watching_and_misses_nothing(tmp_path) -> None:
    async with fake_gateway(Play(pause_after=4)) as (address, fake):
        keys = [("first draft", CTRL_C), ("keep watching? ", "\n"), ("first draft", CTRL_C), ("watching? ", "c\n")]
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path, keys=keys)
        assert (ended.code, fake.watches) == (4, [0, 4, 4])


async def test_without_colour_the_screen_is_the_same_but_for_its_colours(tmp_path) -> None:
    async with fake_gateway() as (address, _):
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path, NO_COLOR="1")
    assert ended.code == 0
    assert "LEARNED" in ended.out
    assert re.findall(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", ended.out) == []


async def test_the_screen_keeps_within_80_columns_and_ends_with_the_cursor_shown(tmp_path) -> None:
    async with fake_gateway(Play(pace_s=0.02)) as (address, _):
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", ended.out)
    assert max(map(len, re.split(r"[\r\n]+", plain))) <= 80
    assert ended.out.rindex("\x1b[?25h") > ended.out.rindex("\x1b[?25l")


async def test_a_question_is_asked_on_the_terminal_and_the_run_goes_on_with_the_answer(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.asking())) as (address, fake):
        keys = [("Your answer", "Thirty.\n")]
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path, keys=keys)
    assert (ended.code, fake.answers) == (0, ["Thirty."])
    assert "The designer asks: How many beds has the ward?" in ended.out


async def test_ctrl_c_at_the_question_asks_what_it_means_and_then_the_question_stands_again(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.asking())) as (address, fake):
        keys = [("Your answer", CTRL_C), ("keep watching? ", "\n"), ("Your answer", "Thirty.\n")]
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path, keys=keys)
    assert (ended.code, fake.answers) == (0, ["Thirty."])


async def test_a_design_is_edited_in_the_users_editor_until_the_linter_finds_no_error(tmp_path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i -e "s/broken/Mine/" -e "s/Hospital shifts/broken/" "$1"\n')
    editor.chmod(0o755)
    async with fake_gateway(Play(script=scripts.reviewing())) as (address, fake):
        keys = [("for later? ", "e\n"), ("for later? ", "e\n")]
        ended = await typed(
            "run", PROBLEM, "--gateway", address, "--review", cwd=tmp_path, keys=keys, EDITOR=str(editor), VISUAL=""
        )
    assert (ended.code, [design.title for design in fake.reviews]) == (0, ["Mine"])
    assert "observation.formula" in ended.out  # what the linter said of the first edit


async def test_a_design_is_accepted_with_one_key(tmp_path) -> None:
    async with fake_gateway(Play(script=scripts.reviewing())) as (address, fake):
        ended = await typed("run", PROBLEM, "--gateway", address, cwd=tmp_path, keys=[("for later? ", "a\n")])
    assert (ended.code, fake.reviews) == (0, [None])
