"""What a training costs and how good it ends: the fast engine against Stable-Baselines3, in turn, to equal steps.

    python -m benchmarks.training [--short] [--seeds 3] [--problem NAME]...

script: a plain Stable-Baselines3 script, one environment, the library's defaults; its CPU a step is measured over
its first steps only. sb3: the library's loops with the settings that the design advises. fast: the same settings
on the fast engine. So script -> sb3 is what the settings gain a step, sb3 -> fast what the engine gains. Nothing is
logged in any of them (benchmarks/logging_cost.py measures that). CPU seconds (user and system) of learn(), one
thread; returns are of the final policy on 100 held-out episodes, deterministic. Medians over the seeds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections.abc import Mapping, Sequence

from kit.library.worked import WorkedProblem, worked_problems
from kit.sandbox.driver import SandboxDriver
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment

PROBLEMS = ("hospital_shifts", "inventory_365", "office_heating")
LIMITS = Limits(wall_s=3600, memory_mib=2048, work_mib=256)
SHORT = 0.1  # of the design's steps

SCRIPT = """
import time
import numpy as np, torch
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv
from kit.contracts.design import EnvDesign
from services.trainer.inside.candidate import load
from services.trainer.inside.engines.fast import FastEngine
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.sb3 import Sb3Engine
from services.trainer.inside.hyperparameters import plan

torch.set_num_threads(1)
design = EnvDesign.model_validate_json(payload["design"])
make = load(payload["environment"], design)
settings = plan(design, payload["seed"], int(design.training.total_timesteps * payload["share"]))

def vector(kind, count):
    return kind([lambda: Monitor(make()) for _ in range(count)])

def learned(model, steps):
    model.get_env().seed(1000 * payload["seed"])
    began = time.process_time()
    model.learn(steps)
    return time.process_time() - began

def script():
    kind = SAC if settings.algorithm.name == "SAC" else PPO
    return kind("MlpPolicy", vector(DummyVecEnv, 1), seed=settings.seed, device="cpu", gamma=design.training.discount)

def settled(engine, kind):
    model = engine.model(settings, vector(kind, settings.n_envs))
    cpu_s = learned(model, settings.total_timesteps)
    held_out = vector(DummyVecEnv, 50)
    held_out.seed(777_000)
    mean, _ = evaluate_policy(model, held_out, 100)
    return {"cpu_s": cpu_s, "us_a_step": 1e6 * cpu_s / model.num_timesteps, "reward": float(mean)}

script().learn(200)  # the first construction is slow
plain = script()
cpu_s = learned(plain, payload["script_steps"])
answer = {"script": {"us_a_step": 1e6 * cpu_s / plain.num_timesteps}}
answer["fast"] = settled(FastEngine(), LeanVector)
answer["sb3"] = settled(Sb3Engine(), DummyVecEnv)
say("result", steps=settings.total_timesteps, algorithm=settings.algorithm.name, **answer)
"""

Medians = dict[str, float]


async def measure(driver: SandboxDriver, worked: WorkedProblem, seeds: int, share: float) -> Medians:
    """Medians over the seeds, by a flat name."""
    found: list[Mapping[str, float]] = []
    for seed in range(seeds):
        payload: dict[str, object] = {
            "source": SCRIPT,
            "design": worked.design.model_dump_json(),
            "environment": worked.source,
            "seed": seed,
            "share": share,
            "script_steps": 6000 if share < 1 else 12_000,
        }
        done = await driver.run(Job(entry="kit.inside.script", payload=payload, limits=LIMITS))
        if done.result is None:
            raise SystemExit(f"NOT MEASURED: {worked.name}: {done.ending} {done.output}")
        found.append(_flat(done.result))
        told = " ".join(f"{name}={value:.4g}" for name, value in found[-1].items())
        print(f"{worked.name} seed {seed}: {told}", flush=True)
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def _flat(result: Mapping[str, object]) -> Medians:
    flat: Medians = {}
    for name, value in result.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}_{of}": float(number) for of, number in value.items()}
        elif isinstance(value, int | float):
            flat[name] = float(value)
    flat["engine_gain"] = flat["sb3_cpu_s"] / flat["fast_cpu_s"]
    flat["settings_gain_a_step"] = flat["script_us_a_step"] / flat["sb3_us_a_step"]
    flat["gain_a_step"] = flat["script_us_a_step"] / flat["fast_us_a_step"]
    return flat


async def run(names: Sequence[str], seeds: int, share: float) -> dict[str, Medians]:
    driver, why = await driver_from_environment(LIMITS)
    print(why)
    try:
        problems = [one for one in worked_problems() if one.name in names]
        return {one.name: await measure(driver, one, seeds, share) for one in problems}
    finally:
        await driver.close()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--short", action="store_true", help=f"one seed, {SHORT:.0%} of the steps")
    asked.add_argument("--seeds", type=int, default=3)
    asked.add_argument("--problem", action="append", choices=PROBLEMS)
    given = asked.parse_args()
    seeds, share = (1, SHORT) if given.short else (given.seeds, 1.0)
    medians = asyncio.run(run(given.problem or PROBLEMS, seeds, share))
    print(f"\n{'':18}{'us of CPU an environment step':>34}{'CPU s':>18}{'held-out reward':>20}")
    print(f"{'':18}{'script':>12}{'sb3':>11}{'fast':>11}{'sb3':>10}{'fast':>8}{'sb3':>11}{'fast':>9}   engine, all")
    for name, of in medians.items():
        print(
            f"{name:18}{of['script_us_a_step']:12.0f}{of['sb3_us_a_step']:11.0f}{of['fast_us_a_step']:11.1f}"
            f"{of['sb3_cpu_s']:10.1f}{of['fast_cpu_s']:8.1f}{of['sb3_reward']:11.2f}{of['fast_reward']:9.2f}"
            f"   {of['engine_gain']:.1f}, {of['gain_a_step']:.1f}"
        )
    print("SBX: NOT MEASURED, it is not among the boxes' libraries.")
    print(json.dumps({"seeds": seeds, "share_of_steps": share, "medians": medians}))


if __name__ == "__main__":
    main()
