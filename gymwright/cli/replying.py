"""`gymwright answer` and `gymwright review`: what a run that waits for its user wants to hear."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding

from gymwright.cli.answering import answering, open_console
from gymwright.cli.drawing import finding_drawn
from gymwright.cli.editing import edited
from gymwright.cli.exits import Exit
from gymwright.cli.following import on_terminal
from gymwright.cli.options import AsJson, Gateway, RunId, connect
from gymwright.cli.prompting import prompted
from gymwright.cli.telling import say_json
from gymwright.cli.words import printable
from gymwright.client import GATEWAY, Client
from gymwright.designs import design_of
from gymwright.errors import NotReady, RequestWrong
from gymwright.views import Review, Run, RunEvent, RunState

DESIGN: str = "design.json"


class Later(Exception):
    """The user wants to reply at another time; the run goes on waiting."""


@answering
def answer(
    run_id: RunId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The answer; - reads it from stdin.")],
    gateway: Gateway = GATEWAY,
    as_json: AsJson = False,
) -> int:
    """Answer the question of a run that is ASKING; it then goes on."""
    with connect(gateway) as client:
        run = client.answer(run_id, sys.stdin.read() if text == "-" else text)
    _say(run, as_json)
    return Exit.DONE


@answering
def review(
    run_id: RunId,
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="An edited design.json takes its place.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="The design is accepted as it is.")] = False,
    gateway: Gateway = GATEWAY,
    as_json: AsJson = False,
) -> int:
    """Accept or edit the design of a run that is REVIEWING. Without an option, in $EDITOR."""
    if accept == (file is not None) and (accept or not on_terminal()):
        raise RequestWrong("Say either --accept or --file FILE; only on a terminal an editor opens without them.")
    with connect(gateway) as client:
        if accept or file is not None:
            done = client.review(run_id, design_of(_read(file)) if file is not None else None)
        else:
            try:
                done = review_by_hand(client, run_id)
            except Later:
                return Exit.WAITING
    if as_json:
        say_json(done.run.proto)
    else:
        show_findings(done)
        _say(done.run, as_json)
    return Exit.DONE if done.taken else Exit.FAILED


def reply_by_hand(client: Client, event: RunEvent) -> None:
    """Have the user answer or review on this terminal. Later; whoever replied meanwhile was first."""
    try:
        if event.state is RunState.ASKING:
            client.answer(event.run_id, _asked(event.proto.question))
        else:
            review_by_hand(client, event.run_id)
    except NotReady:
        sys.stderr.write("The run has its reply already.\n")


def review_by_hand(client: Client, run_id: str) -> Review:
    """The design in an editor, until it is accepted or the linter finds no error in it. Later, NotReady."""
    written = b"".join(client.read_artifact(run_id, DESIGN)).decode()
    text = written
    while True:
        match _choice("The design waits for you: [e]dit it, [a]ccept it, or [l]eave it for later? ", "eal"):
            case "a":
                return client.review(run_id)
            case "l":
                raise Later
        try:
            text = edited(text, DESIGN)
            done = client.review(run_id, design_of(text) if text != written else None)
        except RequestWrong as refused:
            sys.stderr.write(f"{printable(str(refused))}\n")
            continue
        if done.taken:
            return done
        show_findings(done)


def show_findings(done: Review) -> None:
    console = open_console()
    for finding in done.findings:
        console.print(Padding(finding_drawn(finding, in_full=True), (0, 0, 1, 0)))


def how_to_reply(run: Run, gateway: str) -> str:
    """What to type elsewhere."""
    at = "" if gateway == GATEWAY else f" --gateway {gateway}"
    if run.state is RunState.ASKING:
        return f'Answer it: gymwright answer {run.id}{at} "..."'
    return f"Accept it: gymwright review {run.id}{at} --accept\nEdit it: gymwright review {run.id}{at}"


def _asked(question: str) -> str:
    sys.stderr.write(f"\nThe designer asks: {printable(question)}\n")
    while True:
        line = prompted("Your answer (empty: later): ")
        if not line.strip():
            raise Later
        return line.strip()


def _choice(question: str, letters: str) -> str:
    while True:
        line = prompted(question)
        if not line:
            raise Later
        if line.strip().lower()[:1] in tuple(letters):
            return line.strip().lower()[:1]


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as problem:
        raise RequestWrong(f"{file} can't be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise RequestWrong(f"{file} is not text in UTF-8.") from None


def _say(run: Run, as_json: bool) -> None:
    if as_json:
        say_json(run.proto)
    else:
        open_console().print(f"{run.id} is {run.state.lower()}.", soft_wrap=True)
