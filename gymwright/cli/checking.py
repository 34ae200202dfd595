"""`gymwright check FILE[:CLASS]`: the executor's checks on a file of the user's own, without any service."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.padding import Padding
from rich.text import Text

from gymwright.cli.answering import answering, complain, open_console
from gymwright.cli.drawing import finding_drawn
from gymwright.cli.options import AsJson
from gymwright.cli.premises import interpreter, room_environment
from gymwright.cli.story import counted
from gymwright.cli.words import plural, printable
from gymwright.errors import GymwrightError, RequestWrong
from gymwright.v1 import findings_pb2

MODULE: Final = "services.executor.check_file"
INSTALLED: Final = "gymnasium:"
CHECKED: Final = (0, 1)  # its exit codes when there is a verdict


class CouldNotCheck(GymwrightError):
    """The checks reached no verdict."""


@answering
def check(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE[:CLASS]",
            help="A Python file with one Gymnasium environment, or gymnasium:ID for an installed one.",
        ),
    ],
    design: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A design.json to check the environment against.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=2**31 - 1, help="Of the episodes that are played.")] = 0,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Leave a check out: its id, or a pattern such as 'reward.*'."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check an environment of your own. By itself, or against a design; needs a checkout, but no service."""
    file, class_name = split_target(target)
    done = run_checks(str(file), class_name=class_name, design=design, seed=seed, ignore=ignore or ())
    if as_json:
        sys.stdout.write(done.output)
        return done.exit_code
    if done.said:
        complain(done.said)
    _show(file, read_report(done.output))
    return done.exit_code


@dataclass(frozen=True)
class Checked:
    """What the checks came to: their report as JSON, what they said beside it, and 0, or 1 where there is an error."""

    output: str
    said: str
    exit_code: int


def run_checks(
    file: str, *, class_name: str = "", design: Path | None = None, seed: int = 0, ignore: Sequence[str] = ()
) -> Checked:
    """All that need no service, in a process of their own; RequestWrong if there is no such file, or CouldNotCheck."""
    for asked in (None if file.startswith(INSTALLED) else Path(file), design):
        if asked is not None and not asked.is_file():
            raise RequestWrong(f"There is no file {asked}.")
    command = [*interpreter(), MODULE, file, "--seed", str(seed)]
    command += ["--class-name", class_name] if class_name else []
    command += ["--design", str(design)] if design else []
    command += [f"--ignore={pattern}" for pattern in ignore]
    done = subprocess.run(command, env=room_environment(), capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in CHECKED:
        raise CouldNotCheck(said.splitlines()[-1] if said else "The checks ended without a word.")
    return Checked(done.stdout.decode("utf-8", "replace"), said, done.returncode)


def split_target(target: str) -> tuple[Path, str]:
    """FILE and CLASS; the class is empty where none is named. gymnasium:ID is taken as it is."""
    if target.startswith(INSTALLED):
        return Path(target), ""
    path, colon, name = target.rpartition(":")
    if colon and re.fullmatch(r"[A-Za-z_]\w*", name) and path:
        return Path(path), name
    return Path(target), ""


def read_report(output: str) -> findings_pb2.CheckReport:
    """What the checks said; CouldNotCheck if that is not a report."""
    try:
        said = json.loads(output)
        return findings_pb2.CheckReport(
            findings=[_finding(one) for one in said["findings"]],
            skipped=[findings_pb2.SkippedGroup(group=one["group"], why=one["why"]) for one in said["skipped"]],
            episodes=said.get("episodes", 0),
            steps=said.get("steps", 0),
        )
    except (ValueError, KeyError, TypeError) as problem:
        raise CouldNotCheck(f"The checks ended without a report ({problem}).") from None


def _finding(said: dict[str, str | int | None]) -> findings_pb2.Finding:
    line = said.get("line")
    return findings_pb2.Finding(
        check=str(said["check"]),
        severity=findings_pb2.Severity.Value(f"SEVERITY_{said['severity']}"),
        blame=findings_pb2.Blame.Value(f"BLAME_{said['blame']}"),
        message=str(said["message"]),
        evidence=str(said.get("evidence") or ""),
        remedy=str(said.get("remedy") or ""),
        line=int(line) if line is not None else None,
        traceback=str(said.get("traceback") or ""),
    )


def _show(file: Path, report: findings_pb2.CheckReport) -> None:
    console = open_console()
    for finding in sorted(report.findings, key=lambda finding: finding.severity):
        console.print(Padding(finding_drawn(finding, in_full=True), (0, 0, 1, 0)))
    skipped: dict[str, list[str]] = {}
    for one in report.skipped:
        skipped.setdefault(printable(one.why), []).append(printable(one.group))
    for why, groups in skipped.items():
        console.print(Text(f"· skipped, as {why}: {', '.join(groups)}", style="dim"))
    errors, warnings = counted(report.findings)
    played = f"{plural(report.episodes, 'episode')}, {plural(report.steps, 'step')}" if report.steps else ""
    sign, word, style = ("✗", "failed", "bold red") if errors else ("✓", "passed", "bold green")
    rest = ", ".join(filter(None, (errors, warnings, played)))
    console.print(Text.assemble((f"{sign} {word}", style), f"  {file}", (f"  {rest}", "dim")), soft_wrap=True)
