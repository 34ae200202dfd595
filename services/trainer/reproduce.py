"""`python -m services.trainer.reproduce FOLDER`: trains a run again, without any service, and compares every bit.

Reads design.json, environment.py (twin.py, where there is one), manifest.json and training.json of the run's folder;
what it trains is thrown away. Writes one JSON object to stdout: {"same": bool, "differs": [...], ...}.
Exit 0: the same evaluations, the same curve, the same policy. 1: not the same. 3: could not be trained again.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from pydantic import ConfigDict, ValidationError

from gymwright.errors import GymwrightError
from kit.contracts.design import EnvDesign, Hyperparameter
from kit.contracts.findings import Severity
from kit.contracts.outcomes import NamedNumber
from kit.contracts.records import Record
from kit.contracts.runs import RunOptions
from kit.rpc.logs import set_up_logs
from kit.sandbox.settings import driver_from_environment
from kit.settings import SettingsWrong
from services.trainer.boxes import LIMITS
from services.trainer.inside.payloads import POLICY_FILE, TrainClaim
from services.trainer.training import EVAL_EPISODES, Training, TrainSettings, evaluated

COULD_NOT: Final = 3
EVAL_EPISODES_BEFORE: Final = 20  # of every training whose manifest does not say how many
MOST_BYTES: Final = 64 * 2**20  # of each file that is read; a box wrote them


class Trained(Record):
    """What the manifest says of the training; the rest of it is for other readers."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    seed: int
    n_envs: int
    hyperparameters: tuple[NamedNumber, ...]
    twin_sha256: str = ""


class Manifest(Record):
    model_config = ConfigDict(frozen=True, extra="ignore")

    options: RunOptions
    trained: Trained | None


def main() -> int:
    arguments = argparse.ArgumentParser(prog="gymwright reproduce", description=__doc__)
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder
    set_up_logs("reproduce", "warning")
    try:
        differs, claim = asyncio.run(_reproduce(folder))
    except ValidationError as problem:
        sys.stderr.write(f"{folder} is not the folder of a run: {problem.title} is not valid.\n")
        return COULD_NOT
    except (GymwrightError, SettingsWrong, OSError, ValueError) as problem:
        sys.stderr.write(f"{problem}\n")
        return COULD_NOT
    said = {
        "same": not differs,
        "differs": differs,
        "evaluations": len(claim.report.evaluations) if claim.report is not None else 0,
        "points": len(claim.curve),
    }
    sys.stdout.write(json.dumps(said) + "\n")
    return 1 if differs else 0


async def _reproduce(folder: Path) -> tuple[list[str], TrainClaim]:
    """What differs, in words, and what the first training claimed."""
    manifest = Manifest.model_validate_json(_read(folder / "manifest.json"))
    design = EnvDesign.model_validate_json(_read(folder / "design.json"))
    claim = TrainClaim.model_validate_json(_read(folder / "training.json"))
    if manifest.trained is None:
        raise ValueError("Nothing was trained in this run, so there is nothing to train again.")
    source, twin = _read(folder / "environment.py"), _twin(folder, manifest.trained.twin_sha256)
    driver, sandbox = await driver_from_environment(LIMITS)
    sys.stderr.write(f"{sandbox}\n")
    try:
        with tempfile.TemporaryDirectory() as again:
            outcome = await Training(driver, episodes=0).train(
                source,
                design,
                _settings(manifest.options, manifest.trained),
                Path(again),
                "reproduce",
                twin=twin,
            )
            errors = [finding for finding in outcome.findings if finding.severity is Severity.ERROR]
            if errors:
                raise ValueError(f"The training stopped: {errors[0].message}")
            repeated = TrainClaim.model_validate_json(_read(Path(again) / "training.json"))
            same_policy = (folder / POLICY_FILE).read_bytes() == (Path(again) / POLICY_FILE).read_bytes()
    finally:
        await driver.close()
    return _differences(claim, repeated, same_policy), claim


def _twin(folder: Path, expected: str) -> str:
    """The batched twin that was beside the source, if there was one."""
    if not expected:
        return ""
    twin = _read(folder / "twin.py")
    if hashlib.sha256(twin.encode(errors="surrogatepass")).hexdigest() != expected:
        raise ValueError(f"{folder / 'twin.py'} is not the one that the training had.")
    return twin


def _settings(options: RunOptions, trained: Trained) -> TrainSettings:
    """Those that were in force, also where a search had found them or another seed was kept."""
    named = tuple(
        Hyperparameter(name=one.name, value=one.value) for one in trained.hyperparameters if one.name != EVAL_EPISODES
    )
    return TrainSettings(
        seed=trained.seed,
        total_timesteps=options.total_timesteps,
        n_envs=trained.n_envs,
        eval_episodes=evaluated(trained.hyperparameters) or EVAL_EPISODES_BEFORE,
        hyperparameters=named,
    )


def _differences(first: TrainClaim, again: TrainClaim, same_policy: bool) -> list[str]:
    pairs = (
        (
            "evaluation",
            first.report.evaluations if first.report else (),
            again.report.evaluations if again.report else (),
        ),
        ("point of the curve", first.curve, again.curve),
    )
    found = []
    for what, before, after in pairs:
        if len(before) != len(after):
            found.append(f"there are {len(after)} of each {what}, before {len(before)}")
        elif before != after:
            number = next(i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other)
            found.append(f"the {what} after {before[number].timesteps:,} steps is another")
    return found if same_policy else [*found, f"{POLICY_FILE} is another"]


def _read(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        raise ValueError(f"There is no file {path}; a run's folder is what `gymwright run` leaves in runs/.")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path} is over {MOST_BYTES // 2**20} MiB.")
    return path.read_text("utf-8")


if __name__ == "__main__":
    sys.exit(main())
