"""Watching one run to its end on whatever stdout is, downloading what it made, and saying where that lies."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from gymwright.cli.answering import complain, nothing, on_screen, open_console
from gymwright.cli.exits import Exit, exit_of_run
from gymwright.cli.following import Detached, Wish, ask_or_detach, follow, on_terminal
from gymwright.cli.replying import Later, how_to_reply, reply_by_hand
from gymwright.cli.telling import Json, Plain, Screen, Teller
from gymwright.cli.verdicts import end_drawn, files_drawn
from gymwright.cli.words import printable
from gymwright.client import GATEWAY, Client
from gymwright.views import Run, RunEvent


@dataclass(frozen=True)
class Watching:
    """How one run is followed, and where what it made goes."""

    gateway: str
    as_json: bool
    out: Path
    tensorboard_log: Path | None
    require_learned: bool
    wait: bool = True  # for what the user has to say, however long
    check: Callable[[], None] = nothing  # raises if waiting makes no sense any more
    asked: Callable[[], Wish] = ask_or_detach  # what a Ctrl-C means

    def in_house(self, gateway: str, check: Callable[[], None], asked: Callable[[], Wish]) -> Watching:
        """The same, with services that end with us."""
        return dataclasses.replace(self, gateway=gateway, check=check, asked=asked)


def watch_to_end(client: Client, run: Run, watching: Watching) -> int:
    """Tell the run, fetch its artifacts, and return what it is worth to a script."""
    console = open_console()
    teller: Teller = Json() if watching.as_json else Screen(console) if on_screen() else Plain(console)
    if not watching.as_json:
        console.print(title_drawn(run, on_screen()), soft_wrap=not on_screen())
    try:
        follow(client, run.id, teller, watching.asked, watching.check, lambda event: _wanted(client, event, watching))
    except Later:
        teller.finish()
        complain(f"The run waits for you.\n{how_to_reply(client.get(run.id), watching.gateway)}")
        return Exit.WAITING
    except Detached:
        teller.finish()
        _say_detached(run, watching)
        return Exit.INTERRUPTED
    teller.finish()
    if not watching.as_json:
        for part in end_drawn(teller.story):
            console.print(part)
    folder = watching.out / run.id
    files = client.download(run.id, folder)
    board = _copied_board(folder, watching.tensorboard_log, run.id)
    if not watching.as_json:
        for part in files_drawn(folder, files):
            console.print(part)
        if board is not None:
            console.print(Padding(Text(f"TensorBoard: tensorboard --logdir {board}"), (0, 0, 0, 3)), soft_wrap=True)
    return exit_of_run(client.get(run.id), watching.require_learned)


def _wanted(client: Client, event: RunEvent, watching: Watching) -> None:
    """The run waits for its user: here on a terminal, elsewhere by another command, or not at all (Later)."""
    if not watching.wait:
        raise Later
    if on_screen() and on_terminal() and not watching.as_json:
        with suppress(Later):
            reply_by_hand(client, event)
            return
    complain(how_to_reply(client.get(event.run_id), watching.gateway))


def title_drawn(run: Run, drawn: bool) -> Padding | Text:
    """What this run is about."""
    problem = printable(run.problem)
    if not drawn:
        return Text(f"run {run.id}: {problem if len(problem) <= 200 else problem[:199] + '…'}")
    title = Text.assemble((problem, "bold"), no_wrap=True, overflow="ellipsis")
    return Padding(Text("\n").join([title, Text(f"run {run.id}", style="dim")]), (1, 1))


def _say_detached(run: Run, watching: Watching) -> None:
    whose = run.id if watching.gateway == GATEWAY else f"{run.id} --gateway {watching.gateway}"
    complain(f"Detached; the run goes on.\nWatch it: gymwright watch {whose}\nCancel it: gymwright cancel {whose}")


def _copied_board(folder: Path, log: Path | None, run_id: str) -> Path | None:
    """Copy the TensorBoard files where the user keeps such files."""
    if log is None or not (folder / "tensorboard").is_dir():
        return None
    place = log / run_id
    shutil.copytree(folder / "tensorboard", place, dirs_exist_ok=True)
    return place
