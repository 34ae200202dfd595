"""Whether the fast engine's policies end as good as the library's: equal steps and settings, five seeds each.

    python -m benchmarks.quality [--short] [--seeds 5] [--problem CartPole-v1]...

Gymnasium's CartPole, Pendulum, Acrobot and MountainCarContinuous (each action held for eight steps, or its goal is
never seen), and three worked problems; benchmarks/schools.py has the settings, benchmarks/pupil.py one training. Both
engines train seed by seed in turn, each in a process of its own; a number is the mean return of a final policy over
100 held-out episodes. The interval is Welch's, 95 %, of the difference fast - sb3; equal where it holds 0.
The table says how wide the interval is. --short: CartPole, two seeds, a third of the steps.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from math import sqrt
from typing import Any

from scipy.stats import t

from benchmarks.contending import ROOT, boxes, boxes_has
from benchmarks.schools import SCHOOLS

ENGINES = ("sb3", "fast")
Numbers = Sequence[float]


def trained(**asked: object) -> dict[str, Any]:
    """What benchmarks/pupil.py told."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [boxes(), "-m", "benchmarks.pupil", json.dumps(asked)],
        cwd=ROOT, env=os.environ | one, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{asked}: NOT MEASURED: {done.stderr.strip().splitlines()[-1:]}")
    told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return told


def interval(library: Numbers, fast: Numbers) -> tuple[float, float]:
    """Welch's 95 % interval of mean(fast) - mean(library); at least two numbers each."""
    each = [statistics.variance(numbers) / len(numbers) for numbers in (library, fast)]
    difference = statistics.fmean(fast) - statistics.fmean(library)
    if not sum(each):
        return difference, difference
    freedom = sum(each) ** 2 / sum(
        part**2 / (len(numbers) - 1) for part, numbers in zip(each, (library, fast), strict=True)
    )
    half = float(t.ppf(0.975, freedom)) * sqrt(sum(each))
    return difference - half, difference + half


def measure(problem: str, seeds: int, share: float) -> dict[str, Any]:
    told: dict[str, list[dict[str, Any]]] = {engine: [] for engine in ENGINES}
    for seed in range(seeds):
        for engine in ENGINES:
            told[engine].append(one := trained(problem=problem, engine=engine, seed=seed, share=share))
            print(f"{problem}, {engine}, seed {seed}: {one['mean']:.2f}, {one['cpu_s']:.1f} s", flush=True)
    means = {engine: [one["mean"] for one in ones] for engine, ones in told.items()}
    low, high = interval(means["sb3"], means["fast"])
    return {
        "steps": int(SCHOOLS[problem].steps * share),
        **means,
        "interval": [low, high],
        "equal": low <= 0.0 <= high,
    }


def show(found: dict[str, dict[str, Any]]) -> None:
    print(f"\n{'final return, seed by seed':28}{'sb3':>34}{'fast':>36}   fast - sb3, 95 %")
    for problem, of in found.items():
        listed = [", ".join(f"{mean:.1f}" for mean in of[engine]) for engine in ENGINES]
        low, high = of["interval"]
        said = "equal within it" if of["equal"] else "DIFFERS"
        print(f"{problem:28}{listed[0]:>34}{listed[1]:>36}   {low:+.2f} to {high:+.2f}: {said}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--short", action="store_true", help="CartPole, two seeds, a third of the steps")
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--problem", action="append", choices=list(SCHOOLS))
    given = asked.parse_args()
    if not boxes_has("stable_baselines3"):
        print("NOT MEASURED: the boxes' libraries are not here; `make sandbox-venv` brings them")
        print(json.dumps({}))
        return
    found = {}
    for problem in given.problem or (["CartPole-v1"] if given.short else SCHOOLS):
        found[problem] = measure(problem, 2 if given.short else given.seeds, 1 / 3 if given.short else 1.0)
    show(found)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
