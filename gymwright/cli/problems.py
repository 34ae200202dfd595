"""Where the problem's text comes from: the command line, a file, or stdin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from gymwright.async_client import check_problem
from gymwright.errors import ProblemRejected, RequestWrong

MAX_BYTES: Final = 200_000  # no text of the allowed length is longer; a wrong file is not read to its end


def read_problem(argument: str | None, file: Path | None) -> str:
    """The text, checked; ProblemRejected or RequestWrong say what to do."""
    if (argument is None) == (file is None):
        raise RequestWrong('Say what the agent should learn: gymwright run "PROBLEM", --file FILE, or - for stdin.')
    if file is not None:
        text = _decoded(_file_bytes(file), str(file))
    elif argument == "-":
        text = _decoded(sys.stdin.buffer.read(MAX_BYTES + 1), "stdin")
    else:
        text = argument or ""
    check_problem(text)
    return text


def _file_bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as problem:
        raise RequestWrong(f"{file} can't be read: {problem.strerror}.") from None


def _decoded(data: bytes, whence: str) -> str:
    if len(data) > MAX_BYTES:
        raise ProblemRejected(f"The problem in {whence} is over {MAX_BYTES:,} bytes long; shorten it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProblemRejected(f"The problem in {whence} is not text in UTF-8.") from None
