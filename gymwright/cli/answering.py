"""What every command shares: its consoles, and how a failure becomes one sentence and an exit code."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec

import typer
from rich.console import Console
from rich.text import Text

from gymwright.cli.exits import Exit, exit_of
from gymwright.cli.words import printable
from gymwright.errors import GymwrightError, ServiceUnavailable, Unauthenticated

P = ParamSpec("P")


def on_screen() -> bool:
    """Whether stdout is a terminal that can be redrawn."""
    return sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def open_console() -> Console:
    """Stdout: drawn on a terminal, plain characters anywhere else, whatever FORCE_COLOR says."""
    if on_screen():
        return Console(highlight=False, emoji=False)
    return Console(highlight=False, emoji=False, force_terminal=False, color_system=None)


def nothing(*_: object) -> None:
    """Where something is said, and nobody wants to hear it."""


def say_line(sentence: str) -> None:
    """A sentence on stdout, where there is one to say."""
    if sentence:
        open_console().print(Text(printable(sentence), style="dim"), soft_wrap=not on_screen())


def complain(sentence: str) -> None:
    """A sentence on stderr; its further lines, if any, are indented."""
    lines = "\n  ".join(map(printable, sentence.splitlines()))
    sys.stderr.write(f"gymwright: {lines}\n")
    sys.stderr.flush()


def hinted(error: GymwrightError) -> str:
    """The error's own sentence, and what to do where we know more than it does."""
    sentence = str(error) or type(error).__doc__ or "It failed."
    if isinstance(error, ServiceUnavailable) and sentence.startswith("The gateway at"):
        return f"{sentence} Start the services with `gymwright up`, or name another gateway with --gateway."
    if isinstance(error, Unauthenticated):
        return f"{sentence} Set GYMWRIGHT_TOKEN_FILE to the file that holds the services' token."
    return sentence


def answering(command: Callable[P, int | None]) -> Callable[P, None]:
    """A command that returns its exit code, or raises; the user never sees a traceback."""

    @functools.wraps(command)
    def answered(*args: P.args, **kwargs: P.kwargs) -> None:
        raise typer.Exit(_code_of(lambda: command(*args, **kwargs)))

    return answered


def _code_of(command: Callable[[], int | None]) -> int:
    try:
        code = command() or Exit.DONE
        sys.stdout.flush()
        return int(code)
    except GymwrightError as error:
        complain(hinted(error))
        return exit_of(error)
    except KeyboardInterrupt:
        complain("Interrupted.")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # `gymwright … | head`: whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except typer.Exit:
        raise
    except OSError as problem:
        complain(f"{problem.strerror or problem}{f': {problem.filename}' if problem.filename else ''}")
        return Exit.AWAY
    except Exception as bug:
        if os.environ.get("GYMWRIGHT_DEBUG"):
            traceback.print_exc()
        what = f"{type(bug).__name__}: {bug}"
        complain(f"A fault in gymwright itself ({what}). GYMWRIGHT_DEBUG=1 shows where; please report it.")
        return Exit.AWAY
