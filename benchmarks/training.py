"""What it costs to learn: CPU seconds to a fixed held-out return that beats the problem's tuned rule, five seeds.

    python -m benchmarks.training [--short] [--seeds 5] [--problem inventory]... [--peers PYTHON] [--to-the-end]

Two problems (benchmarks/problems): inventory for PPO, thermal for SAC. Rows, seed by seed in turn in one run:

  sb3, plain          a Stable-Baselines3 script: one environment, the library's defaults
  sb3, best           its loops with the best settings that tune_contenders.py found for it
  sbx, plain / best   the same of SBX (JAX), where PYTHON has it; NOT MEASURED else
  fast, sb3's best    the fast engine with sb3's best settings: what the engine alone brings
  fast, best          the fast engine with its own best settings, on scalar environments
  fast, twin          the same on the batched twin of the environment

All settings come from contenders.json: the same candidates and the same number of trials for everybody. Each training
has a process of its own, with one thread; a twin that contenders.json lacks gets what was found for the scalar engine,
another that was not tuned what was found for anybody, or the first candidate. benchmarks/contender.py says what the
clock counts. --to-the-end trains every row to the same number of steps, so that final returns can be compared too. For
PYTHON: a virtual environment with the boxes' libraries (deploy/docker/sandbox.lock) and `pip install sbx-rl`.
--short: one seed, no SBX, a plain script given up after 20 CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.arithmetic import limit_us
from benchmarks.contending import PROBLEMS, TARGETS, NotMeasured, Settings, boxes_has, run
from benchmarks.tune_contenders import FOUND, STARTS

CAP_S, SHORT_CAP_S = 240.0, 20.0
ROWS = ("sb3, plain", "sb3, best", "sbx, plain", "sbx, best", "fast, sb3's best", "fast, best", "fast, twin")


def settings_of(problem: str, row: str) -> tuple[str, Settings]:
    """The contender of the row, and what it trains with."""
    contender, how = row.split(", ")
    if how == "plain":
        return contender, {}
    found = json.loads(FOUND.read_text()).get(problem, {})
    whose = {"sb3's best": ("sb3",), "twin": ("fast-twin", "fast")}.get(how, (contender,))
    tuned = [found[one] for one in whose if one in found]
    chosen = next(iter([*tuned, *found.values()]), {"settings": STARTS[problem]})
    return ("fast-twin" if how == "twin" else contender), chosen["settings"]


def measure(
    problem: str, rows: Sequence[str], seeds: int, peers: str, cap_s: float, to_the_end: bool
) -> dict[str, list[Any]]:
    """What each row's trainings told, seed by seed; a row that can't be measured has none and says why."""
    told: dict[str, list[Any]] = {row: [] for row in rows}
    failed: set[str] = set()
    for seed in range(seeds):
        for row in rows:
            if row in failed:
                continue
            try:
                contender, settings = settings_of(problem, row)
                one = run(problem, contender, settings, seed, cap_s, peers, to_the_end)
            except NotMeasured as why:
                failed.add(row)
                print(f"{problem}, {row}: NOT MEASURED: {why}", flush=True)
                continue
            told[row].append(one)
            seconds = one["reached_s"]
            reached = f"not within {one['spent_s']:.0f} s" if seconds is None else f"{seconds:.2f} s"
            print(f"{problem}, {row}, seed {seed}: {reached}, {one['steps']} steps, {one['final']:.2f}", flush=True)
    return told


def medians(problem: str, told: dict[str, list[Any]]) -> dict[str, dict[str, float]]:
    """reached_s: the median over the seeds, where one that never reached the target counts as all it spent."""
    found: dict[str, dict[str, float]] = {}
    for row, ones in told.items():
        if not ones:
            continue
        found[row] = {
            "reached_s": statistics.median(one["reached_s"] or one["spent_s"] for one in ones),
            "reached": sum(one["reached_s"] is not None for one in ones),
            "seeds": len(ones),
            "us_a_step": statistics.median(one["us_a_step"] for one in ones),
            "final": statistics.median(one["final"] for one in ones),
            "rule": statistics.median(one["rule"] for one in ones),
            "peak_mib": max(one["peak_mib"] for one in ones),
        }
        found[row]["share_of_arithmetic"] = limit_us(problem, settings_of(problem, row)[1]) / found[row]["us_a_step"]
    return found


def show(problem: str, found: dict[str, dict[str, float]]) -> dict[str, float]:
    """Prints the table; the ratios that the documentation quotes."""
    rule = next((of["rule"] for of in found.values()), float("nan"))
    print(f"\n{problem}: CPU seconds to a held-out return of {TARGETS[problem]:g}; the tuned rule's is {rule:.2f}")
    plain = found.get("sb3, plain", {}).get("reached_s")
    for row, of in found.items():
        ahead = f"{over('sb3, plain', found)}{plain / of['reached_s']:.1f}x" if plain else ""
        print(
            f"  {row:18}{of['reached_s']:9.2f} s{ahead:>9}  {of['reached']:.0f}/{of['seeds']:.0f} reached"
            f"{of['us_a_step']:9.1f} us/step  final {of['final']:8.2f}  {of['peak_mib']:.0f} MiB"
            f"{of['share_of_arithmetic']:7.1%} of the arithmetic limit"
        )
    pairs = {
        "settings (sb3, plain -> best)": ("sb3, plain", "sb3, best"),
        "engine (sb3, best -> fast, same settings)": ("sb3, best", "fast, sb3's best"),
        "scalar, ahead of plain sb3": ("sb3, plain", "fast, best"),
        "scalar, ahead of sb3's best": ("sb3, best", "fast, best"),
        "scalar, ahead of sbx's best": ("sbx, best", "fast, best"),
        "twin, ahead of plain sb3": ("sb3, plain", "fast, twin"),
        "twin, ahead of sb3's best": ("sb3, best", "fast, twin"),
    }
    ratios = {
        name: found[slow]["reached_s"] / found[quick]["reached_s"]
        for name, (slow, quick) in pairs.items()
        if slow in found and quick in found
    }
    for name, ratio in ratios.items():
        print(f"  {name:44}{over(pairs[name][0], found) + format(ratio, '.1f'):>7}")
    return ratios


def over(slow: str, found: dict[str, dict[str, float]]) -> str:
    """More than so many times, where the slower row's median training never got there."""
    return ">" if 2 * found[slow]["reached"] <= found[slow]["seeds"] else ""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--short", action="store_true", help="one seed, no SBX, 20 s at most")
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--problem", action="append", choices=PROBLEMS)
    asked.add_argument("--peers", default="", help="a Python that has sbx")
    asked.add_argument("--row", action="append", choices=ROWS, help="these rows only")
    asked.add_argument("--cap", type=float, default=CAP_S, help="CPU seconds after which a training is given up")
    asked.add_argument("--to-the-end", action="store_true")
    given = asked.parse_args()
    rows = [row for row in given.row or ROWS if not (given.short and row.startswith("sbx"))]
    if not boxes_has("stable_baselines3"):
        print("NOT MEASURED: the boxes' libraries are not here; `make sandbox-venv` brings them")
        print(json.dumps({}))
        return
    answer = {}
    for problem in given.problem or PROBLEMS:
        seeds, cap = (1, SHORT_CAP_S) if given.short else (given.seeds, given.cap)
        told = measure(problem, rows, seeds, given.peers, cap, given.to_the_end)
        found = medians(problem, told)
        answer[problem] = {"rows": found, "ratios": show(problem, found)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
