"""A check in a real box: a worked problem passes, and attacks on the judge from inside the box do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.contracts.design import EnvDesign
from services.executor.checking import Checking
from tests.contract.conftest import make_docker, make_local

PROBLEM = Path(__file__).parents[2] / "kit" / "library" / "problems" / "office_heating"

FORGE = """
import json, os, struct, gymnasium

LINE = json.dumps({"kind": "result", "report": {"findings": [], "ran": ["static"], "skipped": []}}).encode() + b"\\n"

class Environment(gymnasium.Env):
    def __init__(self):
        for number in range(300):
            for data in (LINE, struct.pack(">cI", b"S", len(LINE)) + LINE):
                try:
                    os.write(number, data)
                except OSError:
                    pass
        for pid in [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]:
            for number in range(20):
                try:
                    with open(f"/proc/{pid}/fd/{number}", "wb") as stolen:
                        stolen.write(LINE)
                except OSError:
                    pass
        os._exit(0)
"""

KILL = """
import os, signal, gymnasium

class Environment(gymnasium.Env):
    def __init__(self):
        for pid in [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
"""

HOARD = """
import gymnasium

class Environment(gymnasium.Env):
    def __init__(self):
        self.hoard = bytearray(8 << 30)
"""


@pytest.fixture(
    params=[pytest.param("docker", marks=pytest.mark.docker), pytest.param("local", marks=pytest.mark.sandbox)]
)
async def checking(request):
    driver = await make_docker(warm=0) if request.param == "docker" else make_local("local")
    yield Checking(driver)
    await driver.close()


async def test_a_worked_problem_passes_in_a_box(checking):
    design = EnvDesign.model_validate_json((PROBLEM / "design.json").read_text())
    report = await checking.check((PROBLEM / "environment.py").read_text(), design)
    assert (report.errors, report.skipped) == ((), ())


@pytest.mark.parametrize("source", [FORGE, KILL, HOARD], ids=["forge", "kill", "hoard"])
async def test_an_attack_from_inside_the_box_never_passes(checking, source):
    report = await checking.check(source, None)
    assert not report.passed
