"""How long a box takes: warm against cold to the first result, in one run, and how fast slots fill.

    python -m benchmarks.box [--rounds 7] [--short]

Both kinds run the same job, in turn, and both have the same libraries imported before the job starts.
The goal is that a warm hand-off is at least 40 times quicker than a cold start.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path

from gymwright.errors import SandboxUnavailable
from kit.sandbox.choosing import SandboxChoice, choose_driver
from kit.sandbox.docker_driver import DockerDriver
from kit.sandbox.jobs import Job, Limits

GOAL = 40.0
SLOTS = 4
JOB = Job(
    entry="kit.inside.script",
    payload={"source": "import torch, stable_baselines3; say('result', torch=torch.__version__)"},
    limits=Limits(wall_s=60.0),
)


async def first_result_s(driver: DockerDriver) -> tuple[float, float]:
    """Seconds from the call to the result, and to the box's removal."""
    begun = time.perf_counter()
    heard: list[float] = []
    done = await driver.run(JOB, on_said=lambda said: heard.append(time.perf_counter() - begun))
    if done.result is None:
        raise SandboxUnavailable(f"the job failed: {done.output}{done.note}")
    return heard[0], time.perf_counter() - begun


async def measure(rounds: int) -> dict[str, object]:
    """Every figure, or why there is none."""
    chosen, why = await choose_driver(SandboxChoice(driver="docker", warm=0))
    assert isinstance(chosen, DockerDriver)
    print(why)
    image, code = chosen.image, chosen.code_dir
    warm_driver = DockerDriver(image, code_dir=code, warm=1)
    filler = DockerDriver(image, code_dir=code, warm=SLOTS)
    try:
        cold, warm, to_removal = [], [], []
        await first_result_s(chosen)  # not counted: fills the host's page cache
        for _ in range(rounds):
            cold.append((await first_result_s(chosen))[0])
            await warm_driver.warmed()
            first, all_of_it = await first_result_s(warm_driver)
            warm.append(first)
            to_removal.append(all_of_it)
            await warm_driver.warmed()  # so that no filling disturbs the next cold start
        begun = time.perf_counter()
        await filler.warmed()
        per_second = SLOTS / (time.perf_counter() - begun)
    finally:
        for driver in (chosen, warm_driver, filler):
            await driver.close()
    return {
        "warm_first_result_ms": round(statistics.median(warm) * 1e3, 1),
        "warm_to_removal_ms": round(statistics.median(to_removal) * 1e3, 1),
        "cold_first_result_ms": round(statistics.median(cold) * 1e3, 1),
        "cold_over_warm": round(statistics.median(cold) / statistics.median(warm), 1),
        "goal": GOAL,
        "slots_filled_per_s": round(per_second, 2),
        "rounds": rounds,
    }


def main() -> None:
    """Measure, say it in words, and end with one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--short", action="store_true", help="three rounds")
    asked = parser.parse_args()
    rounds = 3 if asked.short else asked.rounds
    try:
        found = asyncio.run(measure(rounds))
    except SandboxUnavailable as problem:
        print(f"NOT MEASURED: {problem}")
        print(json.dumps({"benchmark": Path(__file__).stem, "not_measured": str(problem)}))
        return
    print(f"warm box, hand-off to first result   {found['warm_first_result_ms']:>8} ms")
    print(f"warm box, to result and removed      {found['warm_to_removal_ms']:>8} ms")
    print(f"cold box, to first result            {found['cold_first_result_ms']:>8} ms")
    print(f"cold over warm                       {found['cold_over_warm']:>8} (goal: at least {GOAL:g})")
    print(f"slots filled a second                {found['slots_filled_per_s']:>8}")
    print(json.dumps({"benchmark": Path(__file__).stem, **found}))


if __name__ == "__main__":
    main()
