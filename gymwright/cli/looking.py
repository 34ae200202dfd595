"""`gymwright list`, `show`, `cancel` and `artifacts`: short questions about runs."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.padding import Padding
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from gymwright.cli.answering import answering, on_screen, open_console
from gymwright.cli.drawing import run_drawn
from gymwright.cli.ending import title_drawn
from gymwright.cli.exits import Exit
from gymwright.cli.options import AsJson, Gateway, RunId, connect
from gymwright.cli.replying import how_to_reply
from gymwright.cli.story import Story
from gymwright.cli.telling import say_json
from gymwright.cli.verdicts import end_drawn, files_drawn
from gymwright.cli.words import printable, size
from gymwright.client import GATEWAY, Client
from gymwright.views import Run, RunState

STATE_STYLE = {
    RunState.SUCCEEDED: "green",
    RunState.FAILED: "red",
    RunState.CANCELLED: "yellow",
    RunState.ADVISED: "yellow",
}


@answering
def list_runs(
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="How many, newest first.")] = 20,
    gateway: Gateway = GATEWAY,
    as_json: AsJson = False,
) -> int:
    """The gateway's runs, newest first."""
    with connect(gateway) as client:
        runs = _newest(client, limit)
    if as_json:
        for run in runs:
            say_json(run.proto)
        return Exit.DONE
    console = open_console()
    if not runs:
        console.print('No runs yet: gymwright run "PROBLEM" starts one.')
        return Exit.DONE
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("run", no_wrap=not on_screen(), overflow="fold", min_width=20)
    table.add_column("state", no_wrap=True)
    table.add_column("verdict", overflow="ellipsis")
    table.add_column("started", justify="right", no_wrap=True)
    for run in runs:
        state = Text(run.state.lower(), style=STATE_STYLE.get(run.state, "cyan"))
        verdict = (run.verdict or "").replace("_", " ").lower()
        table.add_row(run.id, state, verdict, _ago(run.created_at_s))
    console.print(table)
    return Exit.DONE


@answering
def show(run_id: RunId, gateway: Gateway = GATEWAY, as_json: AsJson = False) -> int:
    """A run as it stands. Of one that is over, the whole story."""
    with connect(gateway) as client:
        run = client.get(run_id)
        if as_json:
            say_json(run.proto)
            return Exit.DONE
        console = open_console()
        console.print(title_drawn(run, on_screen()), soft_wrap=not on_screen())
        if not run.state.at_rest:
            _show_passing(run, gateway)
            return Exit.DONE
        story = Story()
        for event in client.watch(run_id):
            story.hear(event)
        for part in (run_drawn(story, story.last_at_s, Spinner("dots")), *end_drawn(story)):
            console.print(part)
    return Exit.DONE


@answering
def cancel(run_id: RunId, gateway: Gateway = GATEWAY, as_json: AsJson = False) -> int:
    """Ask a run to stop. Its boxes end within two seconds."""
    with connect(gateway) as client:
        run = client.cancel(run_id)
    if as_json:
        say_json(run.proto)
    else:
        open_console().print(f"{run.id} is {run.state.lower()}.", soft_wrap=True)
    return Exit.DONE


@answering
def artifacts(
    run_id: RunId,
    download: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write them all to DIR/<run id>/, sizes and checksums verified.")
    ] = None,
    gateway: Gateway = GATEWAY,
    as_json: AsJson = False,
) -> int:
    """List, or download, the files of a run."""
    with connect(gateway) as client:
        found = client.artifacts(run_id)
        files = client.download(run_id, download / run_id) if download is not None else ()
    console = open_console()
    if as_json:
        for artifact in found:
            say_json(artifact.to_proto())
    elif download is not None:
        for part in files_drawn(download / run_id, files):
            console.print(part)
    elif not found:
        console.print("This run has no files yet.")
    else:
        table = Table.grid(padding=(0, 2))
        table.add_column(overflow="fold")
        table.add_column(justify="right", no_wrap=True)
        for artifact in found:
            table.add_row(printable(artifact.name), size(artifact.size))
        console.print(table)
    return Exit.DONE


def _newest(client: Client, limit: int) -> list[Run]:
    runs: list[Run] = []
    token = ""
    while len(runs) < limit:
        page = client.list(min(200, limit - len(runs)), token)
        runs += page.runs
        token = page.next_page_token
        if not token:
            break
    return runs[:limit]


def _show_passing(run: Run, gateway: str) -> None:
    console = open_console()
    since = datetime.fromtimestamp(run.created_at_s, UTC).astimezone().strftime("%H:%M")
    facts = [run.state.lower(), f"since {since}", run.design_name, f"{run.fixes} fixes" if run.fixes else ""]
    console.print(Padding(Text(", ".join(printable(fact) for fact in facts if fact)), (0, 1)))
    if run.question:
        console.print(Padding(Text(f"The designer asks: {printable(run.question)}"), (0, 1)), soft_wrap=True)
    how = how_to_reply(run, gateway) if run.state.waits else f"Follow it: gymwright watch {run.id}"
    console.print(Padding(Text(how, style="dim"), (0, 1)), soft_wrap=True)


def _ago(at_s: float) -> str:
    minutes = int(time.time() - at_s) // 60
    if minutes < 1:
        return "just now"
    if minutes < 24 * 60:
        return f"{minutes} min ago" if minutes < 60 else f"{minutes // 60} h ago"
    return datetime.fromtimestamp(at_s, UTC).astimezone().strftime("%Y-%m-%d")
