"""Who contends for what in the training benchmark, and one training of one of them in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BOXES = ROOT / ".sandbox-venv" / "bin" / "python"

PROBLEMS = ("inventory", "thermal")
CONTENDERS = ("sb3", "sbx", "fast", "fast-twin")
TARGETS = {"inventory": 105.0, "thermal": -54.0}  # above what the problem's tuned rule returns
TOTALS = {"inventory": 200_000, "thermal": 15_000}
EVERY = {"inventory": 4096, "thermal": 500}  # steps between two looks at the held-out return

Settings = dict[str, float]


def boxes() -> str:
    """A Python that has the boxes' libraries."""
    return str(BOXES if BOXES.exists() else sys.executable)


def boxes_has(module: str) -> bool:
    return subprocess.run([boxes(), "-c", f"import {module}"], capture_output=True).returncode == 0


class NotMeasured(Exception):
    """Why a contender could not run."""


def run(
    problem: str,
    contender: str,
    settings: Settings,
    seed: int,
    cap_s: float,
    python: str = "",
    to_the_end: bool = False,
) -> dict[str, Any]:
    """What benchmarks/contender.py told. python: for sbx."""
    asked = {
        "problem": problem,
        "contender": contender,
        "settings": settings,
        "seed": seed,
        "every": EVERY[problem],
        "target": TARGETS[problem],
        "cap_s": cap_s,
        "total": TOTALS[problem],
        "to_the_end": to_the_end,
    }
    program = python if contender == "sbx" else boxes()
    if not program:
        raise NotMeasured("no Python that has sbx was named")
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [program, "-m", "benchmarks.contender", json.dumps(asked)],
        cwd=ROOT,
        env=os.environ | one | {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise NotMeasured(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
    told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return told
