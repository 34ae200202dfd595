"""`gymwright check` on a user's own file, in local boxes, without any service."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.integration.terminals import piped

ROOT = Path(__file__).resolve().parents[2]
BOXES = ROOT / ".sandbox-venv" / "bin" / "python"

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not BOXES.exists(), reason="no local boxes here: make sandbox-venv"),
    pytest.mark.skipif(importlib.util.find_spec("services.executor.checking") is None, reason="no checks yet"),
]

LOCAL = {"GYMWRIGHT_SANDBOX_DRIVER": "local", "GYMWRIGHT_SANDBOX_PYTHON": str(BOXES)}
WARD = """
import gymnasium
import numpy as np


class Ward(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.day = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.day += 1
        seen = np.full(2, HIGHEST * (int(action) + self.day / 20) / 4, np.float32)
        return seen, float(action), self.day >= 20, False, {}
"""


@pytest.mark.parametrize(
    ("highest", "code", "said"), [("1.0", 0, "✓ passed  ward.py"), ("2.0", 1, "✗ error  observation.")]
)
async def test_a_check_finds_what_is_wrong_and_nothing_else(tmp_path, highest, code, said) -> None:
    (tmp_path / "ward.py").write_text(WARD.replace("HIGHEST", highest))
    ended = await piped("check", "ward.py:Ward", cwd=tmp_path, **LOCAL)
    assert (ended.code, said in ended.out) == (code, True), ended
    assert "Boxes are local processes" in ended.err


async def test_a_check_that_is_left_out_fails_nothing(tmp_path) -> None:
    (tmp_path / "ward.py").write_text(WARD.replace("HIGHEST", "2.0"))
    ended = await piped("check", "ward.py", "--ignore", "observation.b*", cwd=tmp_path, **LOCAL)
    assert (ended.code, "✓ passed  ward.py" in ended.out) == (0, True), ended


async def test_a_check_with_a_slip_in_its_name_is_not_silently_nothing(tmp_path) -> None:
    (tmp_path / "ward.py").write_text(WARD.replace("HIGHEST", "2.0"))
    ended = await piped("check", "ward.py", "--ignore", "observation.bound", cwd=tmp_path, **LOCAL)
    assert (ended.code, ended.out) == (3, "")
    assert "No check is called observation.bound; observation.bounds is." in ended.err


async def test_json_is_the_report_and_nothing_else(tmp_path) -> None:
    (tmp_path / "ward.py").write_text(WARD.replace("HIGHEST", "missing"))
    ended = await piped("check", "ward.py", "--json", cwd=tmp_path, **LOCAL)
    report = json.loads(ended.out)
    assert (ended.code, ended.err, report["verdict"]) == (1, "", "failed")
    assert {"check", "severity", "blame", "message", "evidence", "remedy", "line"} <= report["findings"][0].keys()


@pytest.mark.parametrize(
    ("data", "said"), [(b"\xff\xfe\x00", "not a text file in UTF-8"), (b"x = 1\n" * 100_000, "over 256 KiB")]
)
async def test_what_is_no_source_is_refused_in_one_sentence(tmp_path, data, said) -> None:
    (tmp_path / "ward.py").write_bytes(data)
    ended = await piped("check", "ward.py", cwd=tmp_path, **LOCAL)
    assert (ended.code, ended.out, said in ended.err, ended.err.count("\n")) == (3, "", True, 1)
