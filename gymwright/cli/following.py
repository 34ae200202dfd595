"""Following a run to its end, and what Ctrl-C means meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from enum import Enum, auto

from gymwright.cli.prompting import prompted
from gymwright.cli.telling import Teller
from gymwright.client import Client
from gymwright.errors import GymwrightError, RunIsOver
from gymwright.views import RunEvent


class Wish(Enum):
    CANCEL = auto()
    DETACH = auto()
    GO_ON = auto()


class Detached(Exception):
    """The user left; the run goes on."""


def follow(
    client: Client,
    run_id: str,
    teller: Teller,
    asked: Callable[[], Wish],
    check: Callable[[], None],
    wanted: Callable[[RunEvent], None],
) -> None:
    """Tell every event until the run rests.

    asked: what a Ctrl-C means; check: raises if waiting makes no sense; wanted: the run waits for its user.
    """

    def away(error: GymwrightError) -> None:
        check()
        teller.away(error)

    seen, cancelling = 0, False
    while True:
        try:
            teller.open()
            try:
                for event in client.watch(run_id, seen, away):
                    teller.hear(event)
                    if event.state.waits and _waits_still(client, event):
                        teller.close()
                        wanted(event)  # a Ctrl-C there leaves the event unseen, so that it is wanted again
                        teller.open()
                    seen = event.sequence
            finally:
                teller.close()
            return
        except KeyboardInterrupt:
            wish = Wish.DETACH if cancelling else asked()
            if wish is Wish.DETACH:
                raise Detached from None
            if wish is Wish.CANCEL:
                cancelling = True
                with suppress(RunIsOver):  # it ended while the question stood there
                    client.cancel(run_id)


def _waits_still(client: Client, event: RunEvent) -> bool:
    """Of a run that is told from its beginning, what was wanted may be there already."""
    run = client.get(event.run_id)
    return run.state is event.state and run.question == event.proto.question


def ask_or_detach() -> Wish:
    """On a terminal, ask; a second Ctrl-C detaches. Anywhere else, detach."""
    if not on_terminal():
        return Wish.DETACH
    return _ask("[c]ancel the run, [d]etach and let it go on, or Enter to keep watching? ", Wish.DETACH)


def ask_or_cancel() -> Wish:
    """For a run whose house ends with us: nothing can go on without us."""
    if not on_terminal():
        return Wish.CANCEL
    return _ask("[c]ancel the run, or Enter to keep watching? ", Wish.CANCEL)


def on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask(question: str, second_interrupt: Wish) -> Wish:
    wishes = {"c": Wish.CANCEL, "cancel": Wish.CANCEL, "d": Wish.DETACH, "detach": Wish.DETACH}
    try:
        answer = prompted(f"\n{question}")
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return second_interrupt
    return wishes.get(answer.strip().lower(), Wish.GO_ON) if answer else second_interrupt
