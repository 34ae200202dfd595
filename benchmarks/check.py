"""What a whole check costs, in CPU seconds and as a ratio to running both check_envs, on the worked problems.

    python -m benchmarks.check [--rounds 3] [--short]

Both run in one box, in turn, with the heavy imports done. The goal is under 5 CPU seconds a check.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from pathlib import Path

from gymwright.errors import SandboxUnavailable
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment

GOAL_S = 5.0
PROBLEMS = Path(__file__).parents[1] / "kit" / "library" / "problems"
MEASURE = """
import gc, json, resource
import gymnasium, stable_baselines3.common.env_checker
from kit.inside.candidate import Candidate
from services.executor.inside import check

def cpu():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)

PEER = "services.executor.inside.groups.probing.peer"

def ours():
    last = {}
    check.main(payload["check"], lambda kind, **said: last.update(said))
    return last["report"]

def peers():
    for which in ("gymnasium", "sb3"):
        with Candidate.start() as candidate:
            candidate.load(payload["check"]["source"])
            candidate.make()
            candidate.probe(PEER, env=0, seconds=60.0, which=which, kwargs={})

times = {"ours": [], "peers": []}
for _ in range(payload["rounds"]):
    for name, run in (("ours", ours), ("peers", peers)):
        began = cpu()
        done = run()
        times[name].append(cpu() - began)
        if name == "ours":
            report = done
errors = sum(finding["severity"] == "ERROR" for finding in report["findings"])
say("result", times=times, steps=report["steps"], errors=errors)
"""


async def measure(rounds: int) -> dict[str, object]:
    """Medians for each problem; a problem whose check fails is no measurement."""
    limits = Limits(wall_s=600.0, memory_mib=2048)
    driver, sandbox = await driver_from_environment(limits)
    print(sandbox)
    figures: dict[str, object] = {}
    try:
        for folder in sorted(path.parent for path in PROBLEMS.glob("*/environment.py")):
            body = {
                "source": (folder / "environment.py").read_text(),
                "design": json.loads((folder / "design.json").read_text()),
                "budget_s": 300.0,
            }
            job = Job(
                entry="kit.inside.script",
                payload={"source": MEASURE, "check": body, "rounds": rounds},
                limits=limits,
                owner="bench",
            )
            result = (await driver.run(job)).result
            if result is None or result["errors"]:
                print(f"{folder.name}: NOT MEASURED, the check did not pass")
                continue
            ours, peers = (statistics.median(result["times"][who]) for who in ("ours", "peers"))  # type: ignore[index]
            print(
                f"{folder.name}: {ours:.2f} CPU s for {result['steps']} steps; both check_envs {peers:.2f}; "
                f"ratio {ours / peers:.1f}"
            )
            figures[folder.name] = {
                "cpu_s": round(ours, 3),
                "peers_s": round(peers, 3),
                "ratio": round(ours / peers, 2),
            }
    finally:
        await driver.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="one round")
    asked = parser.parse_args()
    try:
        figures = asyncio.run(measure(1 if asked.short else asked.rounds))
    except SandboxUnavailable as problem:
        print(f"NOT MEASURED: {problem}")
        figures = {}
    print(json.dumps({"benchmark": "check", "goal_cpu_s": GOAL_S, "problems": figures}))


if __name__ == "__main__":
    main()
