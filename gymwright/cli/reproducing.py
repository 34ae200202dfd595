"""`gymwright reproduce FOLDER`: trains a run again in a fresh box, and says whether every bit is the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from gymwright.cli.answering import answering, complain, open_console
from gymwright.cli.options import AsJson
from gymwright.cli.premises import interpreter, room_environment
from gymwright.cli.words import printable
from gymwright.errors import GymwrightError, RequestWrong

MODULE: Final = "services.trainer.reproduce"
COMPARED: Final = (0, 1)  # its exit codes where both trainings could be compared


class CouldNotReproduce(GymwrightError):
    """The run could not be trained again."""


@answering
def reproduce(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What a run left, for example runs/<id>.")],
    as_json: AsJson = False,
) -> int:
    """Train a run again, and compare curve and policy bit for bit; needs a checkout, but no service."""
    if not folder.is_dir():
        raise RequestWrong(f"There is no folder {folder}.")
    done = subprocess.run(
        [*interpreter(), MODULE, str(folder)], env=room_environment(), capture_output=True, check=False
    )
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in COMPARED:
        raise CouldNotReproduce(said.splitlines()[-1] if said else "It ended without a word.")
    output = done.stdout.decode("utf-8", "replace")
    if as_json:
        sys.stdout.write(output)
        return done.returncode
    complain(said)
    found = json.loads(output)
    console = open_console()
    if found["same"]:
        console.print(
            f"The same: {found['evaluations']} evaluations, {found['points']} points of the curve, the policy."
        )
    else:
        console.print(f"Not the same: {printable('; '.join(found['differs']))}.")
        console.print("Another machine, other libraries or another number of threads give other last digits.")
    return done.returncode
