"""`gymwright up` and `gymwright run --local` with the real six rooms."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gymwright.cli.health import healthy
from gymwright.cli.house import ROOMS
from tests.integration.terminals import COMMAND, environment, piped
from tests.integration.test_cli_house import processes_of

ROOT = Path(__file__).resolve().parents[2]
BOXES = ROOT / ".sandbox-venv" / "bin" / "python"
PARTS = ("gateway.__main__", "services.executor.checking", "services.trainer.training", "services.reporter.reporting")

pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(part) is None for part in PARTS), reason="not all six rooms are built yet"
    ),
    pytest.mark.timeout(300),
]


def house_environment() -> dict[str, str]:
    """Any interpreter will do as that of the boxes where no box is used."""
    return {"GYMWRIGHT_SANDBOX_DRIVER": "local", "GYMWRIGHT_SANDBOX_PYTHON": sys.executable}


async def test_up_starts_six_rooms_and_stops_them_together(tmp_path) -> None:
    process, addresses = await started(tmp_path)
    assert addresses.keys() == {room.name for room in ROOMS}
    assert all(healthy(address) for address in addresses.values())
    listed = await piped("list", "--gateway", addresses["gateway"], cwd=tmp_path)
    assert (listed.code, listed.out) == (0, 'No runs yet: gymwright run "PROBLEM" starts one.\n')
    process.send_signal(signal.SIGTERM)
    out, _ = await process.communicate()
    assert (process.returncode, out.decode().splitlines()[-1]) == (0, "Stopped.")
    assert processes_of(tmp_path / "data") == []


async def test_up_stops_all_when_one_is_killed_and_says_which(tmp_path) -> None:
    process, _ = await started(tmp_path)
    os.kill(room_process(tmp_path / "data", "services.coder"), signal.SIGKILL)
    _, err = await process.communicate()
    assert process.returncode == 3
    assert err.decode().startswith("gymwright: The coder was killed by SIGKILL")
    assert processes_of(tmp_path / "data") == []


async def test_a_problem_that_nothing_covers_fails_with_a_sentence_and_leaves_no_process(tmp_path) -> None:
    ended = await piped("run", "zebra quilting", "--local", cwd=tmp_path, **house_environment())
    assert (ended.code, "FAILED" in ended.out, ended.err) == (1, True, "")
    assert "Boxes are local processes, weaker than containers" in ended.out
    assert all(processes_of(place) == [] for place in (tmp_path / ".gymwright" / "local").iterdir())


def with_another_seed(manifest: Path) -> None:
    said = json.loads(manifest.read_text())
    said["trained"]["seed"] += 1
    manifest.write_text(json.dumps(said))


@pytest.mark.sandbox
@pytest.mark.skipif(not BOXES.exists(), reason="no local boxes here: make sandbox-venv")
async def test_one_command_goes_from_a_sentence_to_a_report_that_can_be_reproduced_bit_by_bit(tmp_path) -> None:
    asked = ("run", "--local", "Optimise hospital shift scheduling", "--timesteps", "2048")
    boxes = {"GYMWRIGHT_SANDBOX_DRIVER": "local", "GYMWRIGHT_SANDBOX_PYTHON": str(BOXES)}
    ended = await piped(*asked, cwd=tmp_path, **boxes)
    assert (ended.code, ended.err) == (0, "")
    (folder,) = (tmp_path / "runs").iterdir()
    made = {file.relative_to(folder).parts[0] for file in folder.rglob("*") if file.is_file()}
    assert made >= {
        "design.json", "environment.py", "report.md", "reward_curve.png", "results.csv",
        "model.zip", "policy.onnx", "tensorboard", "manifest.json",
    }  # fmt: skip

    again = await piped("reproduce", str(folder), cwd=tmp_path, **boxes)
    assert (again.code, again.out.startswith("The same: ")) == (0, True), again.err
    with_another_seed(folder / "manifest.json")
    other = await piped("reproduce", str(folder), "--json", cwd=tmp_path, **boxes)
    assert (other.code, json.loads(other.out)["same"]) == (1, False)
    assert "policy.onnx is another" in json.loads(other.out)["differs"]


async def started(tmp_path: Path) -> tuple[asyncio.subprocess.Process, dict[str, str]]:
    """A house on free ports, once it says that it is up; and where each room listens."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "up", "--ports", "free", "--data", "data",
        cwd=tmp_path, env=environment(**house_environment()), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    while "All services are up" not in said:
        line = (await process.stdout.readline()).decode()
        assert line, said + (await process.communicate())[1].decode()
        said += line
    return process, dict(re.findall(r"^(\w+) +(127\.0\.0\.1:\d+)$", said, re.MULTILINE))


def room_process(data: Path, module: str) -> int:
    return next(
        number
        for number in processes_of(data)
        if module.encode() in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
    )
