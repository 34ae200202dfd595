"""The command `gymwright`: its subcommands, and what --help says of them."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import typer

from gymwright.cli.checking import check
from gymwright.cli.exits import HELP
from gymwright.cli.looking import artifacts, cancel, list_runs, show
from gymwright.cli.replying import answer, review
from gymwright.cli.reproducing import reproduce
from gymwright.cli.running import run, watch
from gymwright.cli.upping import up

app = typer.Typer(
    name="gymwright",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Say in plain English what an agent should learn; get a checked Gymnasium environment, a trained policy,"
    " and a report with evidence.",
    epilog=HELP,
)
app.command("run", epilog=HELP)(run)
app.command("watch", epilog=HELP)(watch)
app.command("answer")(answer)
app.command("review", epilog=HELP)(review)
app.command("list")(list_runs)
app.command("show")(show)
app.command("cancel")(cancel)
app.command("artifacts")(artifacts)
app.command("check", epilog=HELP)(check)
app.command("reproduce", epilog=HELP)(reproduce)
app.command("up")(up)


def main() -> None:
    """The entry point."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our characters gets a question mark, no traceback
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # grpc's own log lines are for us, not for users
    app()


if __name__ == "__main__":
    main()
