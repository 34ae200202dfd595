"""`python -m services.executor.check_file FILE`: the checks that need no design, without any service.

Writes one JSON object to stdout: {"verdict": "passed"|"failed", "findings": [...], "skipped": [...]}.
Exit 0: no error finding. 1: some. 3: could not check; the reason is on stderr.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatch
from pathlib import Path

from gymwright.errors import GymwrightError
from kit.contracts.design import EnvDesign
from kit.contracts.findings import CheckReport
from kit.rpc.logs import set_up_logs
from kit.sandbox.settings import driver_from_environment
from kit.settings import SettingsWrong
from services.executor import installed
from services.executor.checking import LIMITS, Checking
from services.executor.checks import MAX_SOURCE_BYTES
from services.executor.inside import check
from services.executor.inside.catalogue import CATALOGUE
from services.executor.installed import PREFIX

COULD_NOT_CHECK = 3


def main() -> int:
    arguments = argparse.ArgumentParser(prog="gymwright check", description=__doc__)
    arguments.add_argument("file", type=Path, help="or gymnasium:ID, for an installed environment")
    arguments.add_argument("--class-name", default=None)
    arguments.add_argument("--design", type=Path, default=None, help="a design.json to check the environment against")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--ignore", action="append", default=[], help="a check's id, or a pattern such as reward.*")
    asked = arguments.parse_args()
    set_up_logs("check", "warning")
    try:
        source = _source(str(asked.file))
        design = EnvDesign.model_validate_json(_text(asked.design)) if asked.design else None
        ignored = _known(asked.ignore)
        report = asyncio.run(_check(source, design, asked.class_name, asked.seed, ignored))
        if str(asked.file).startswith(PREFIX) and (unmade := _not_made(report)):
            raise ValueError(f"{asked.file} could not be made. {unmade}")
    except (GymwrightError, SettingsWrong, OSError, ValueError) as problem:
        sys.stderr.write(f"{problem}\n")
        return COULD_NOT_CHECK
    sys.stdout.write(json.dumps(_said(report)) + "\n")
    return 0 if report.passed else 1


def _known(patterns: Sequence[str]) -> Sequence[str]:
    """ValueError for one that is no check's: a name with a slip in it would ignore nothing, silently."""
    assert check  # imported so that all checks are in the catalogue
    for pattern in patterns:
        if not any(fnmatch(check, pattern) for check in CATALOGUE):
            near = get_close_matches(pattern, CATALOGUE, 1)
            raise ValueError(
                f"No check is called {pattern}{f'; {near[0]} is' if near else ''}. docs/checks.md lists them all."
            )
    return patterns


async def _check(
    source: str, design: EnvDesign | None, class_name: str | None, seed: int, ignored: Sequence[str]
) -> CheckReport:
    driver, sandbox = await driver_from_environment(LIMITS)
    sys.stderr.write(f"{sandbox}\n")
    try:
        return await Checking(driver).check(
            source, design, class_name=class_name, seed=seed, ignored=ignored, owner="check"
        )
    finally:
        await driver.close()


def _source(target: str) -> str:
    """What is checked: the file's text, or for gymnasium:ID what makes that environment."""
    return installed.source_of(target.removeprefix(PREFIX)) if target.startswith(PREFIX) else _text(Path(target))


def _text(path: Path) -> str:
    if path.stat().st_size > MAX_SOURCE_BYTES:
        raise ValueError(f"{path} is over {MAX_SOURCE_BYTES // 1024} KiB.")
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file in UTF-8.") from None


def _not_made(report: CheckReport) -> str:
    """Why an installed environment could not even be made: that is no verdict on it."""
    lacking = [finding.message for finding in report.errors if finding.check in ("code.loads", "code.constructs")]
    return lacking[0] if lacking else ""


def _said(report: CheckReport) -> dict[str, object]:
    return {
        "verdict": "passed" if report.passed else "failed",
        "findings": [finding.model_dump(mode="json") for finding in report.findings],
        "skipped": [skipped.model_dump(mode="json") for skipped in report.skipped],
        "episodes": report.episodes,
        "steps": report.steps,
    }


if __name__ == "__main__":
    sys.exit(main())
