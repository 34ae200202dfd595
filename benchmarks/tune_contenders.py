"""Finds each contender's best settings on the training benchmark's problems, with the same tuning budget for all.

    python -m benchmarks.tune_contenders [--contender sb3]... [--problem inventory]... [--peers PYTHON]

Every contender gets the same TRIALS candidates, drawn once from one space, and its two fastest run again on
two other seeds; the one with the least median CPU time to the target is its best. A trial is cut off where it is slower
than the best so far, which changes no choice. Results go to contenders.json, which benchmarks/training.py reads.
PYTHON runs sbx: a virtual environment with the boxes' libraries and `pip install sbx-rl`.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.contending import CONTENDERS, PROBLEMS, Settings, run

TRIALS, FINALISTS = 8, 2
CAP_S = 60.0
FOUND = Path(__file__).parent / "contenders.json"

SPACES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "inventory": {
        "n_envs": (4, 8, 16, 32, 64),
        "steps_between": (1024, 2048, 4096),
        "batch_size": (64, 128, 256, 512),
        "epochs": (4, 6, 10, 15),
        "learning_rate": (5e-4, 1e-3, 2e-3, 4e-3),
        "decay": (0, 1),
        "width": (32, 64),
        "gae_lambda": (0.8, 0.9, 0.95),
    },
    "thermal": {
        "n_envs": (1, 4, 8, 16),
        "updates_a_step": (0.25, 0.5, 1.0),
        "batch_size": (64, 128, 256),
        "learning_rate": (5e-4, 1e-3, 2e-3, 3e-3),
        "width": (32, 64, 128, 256),
    },
}
STARTS: Mapping[str, Settings] = {
    "inventory": {"n_envs": 16, "steps_between": 2048, "batch_size": 256, "epochs": 10, "learning_rate": 2e-3,
                  "decay": 1, "width": 64, "gae_lambda": 0.8},
    "thermal": {"n_envs": 8, "updates_a_step": 0.5, "batch_size": 128, "learning_rate": 1e-3, "width": 64},
}  # fmt: skip
"""The first candidate of everybody."""


def candidates(problem: str) -> list[Settings]:
    random = np.random.default_rng(7)
    drawn = [{name: float(random.choice(of)) for name, of in SPACES[problem].items()} for _ in range(TRIALS - 1)]
    return [dict(STARTS[problem]), *drawn]


def tuned(problem: str, contender: str, peers: str) -> dict[str, object]:
    best, tried = CAP_S, []
    for settings in candidates(problem):
        one = run(problem, contender, settings, seed=100, cap_s=best, python=peers)
        seconds = one["reached_s"]
        tried.append((seconds or float("inf"), settings))
        best = min(best, seconds or best)
        print(f"{problem} {contender} {seconds and round(seconds, 2)} of {one['spent_s']:.1f} s {settings}", flush=True)
    tried.sort(key=lambda pair: pair[0])
    finals = []
    for seconds, settings in tried[:FINALISTS]:
        again = [run(problem, contender, settings, seed, 2 * CAP_S, python=peers)["reached_s"] for seed in (101, 102)]
        finals.append((statistics.median([seconds, *(one or float("inf") for one in again)]), settings))
        print(f"{problem} {contender} finalist {finals[-1]}", flush=True)
    seconds, settings = min(finals, key=lambda pair: pair[0])
    return {"settings": settings, "median_s": round(seconds, 2), "trials": TRIALS}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--contender", action="append", choices=CONTENDERS)
    asked.add_argument("--problem", action="append", choices=PROBLEMS)
    asked.add_argument("--peers", default="", help="a Python that has sbx")
    given = asked.parse_args()
    for problem in given.problem or PROBLEMS:
        for contender in given.contender or CONTENDERS:
            found = tuned(problem, contender, given.peers)
            all_found = json.loads(FOUND.read_text()) if FOUND.exists() else {}
            all_found.setdefault(problem, {})[contender] = found
            FOUND.write_text(json.dumps(all_found, indent=1) + "\n")


if __name__ == "__main__":
    main()
