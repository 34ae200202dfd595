"""What logging every step costs: the same PPO training with our columns and without, in turn, in one box.

python -m benchmarks.logging_cost [PROBLEM]     a worked problem, hospital_shifts where none is named

bare: the environment as it is; the library copies its info deeply at every step. stripped: nothing is
logged and info is thrown away, the cheapest there can be. logged: as the trainer does it, with columns
of every state variable and component, metrics by formula, and the Parquet file. CPU seconds, medians.
"""

from __future__ import annotations

import asyncio
import json
import sys

from kit.library.worked import WorkedProblem, worked_problems
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment

LIMITS = Limits(wall_s=900, memory_mib=2048, work_mib=256)

SCRIPT = """
import statistics, time
import gymnasium, torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv
from kit.contracts.design import EnvDesign
from kit.contracts.formulas import compile_design
from services.trainer.inside.candidate import load
from services.trainer.inside.episodes import Episodes
from services.trainer.inside.harvest import Harvest
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.rows import Layout
from services.trainer.inside.steps_file import StepsFile

torch.set_num_threads(1)
design = EnvDesign.model_validate_json(payload["design"])
make, layout = load(payload["environment"], design), Layout(design)
episodes = Episodes(compile_design(design), layout)
ENVS, STEPS, ROUNDS = 16, 256, payload["rounds"]

class Stripped(gymnasium.Wrapper):
    def reset(self, **kwargs):
        return self.env.reset(**kwargs)[0], {}
    def step(self, action):
        return *self.env.step(action)[:4], {}

def trained(how):
    wrap = {"bare": lambda env: env, "stripped": Stripped, "logged": lambda env: Recorder(env, design, layout)}[how]
    envs = [wrap(make()) for _ in range(ENVS)]
    venv = DummyVecEnv([lambda env=env: Monitor(env) for env in envs])
    model = PPO("MlpPolicy", venv, n_steps=STEPS, batch_size=256, learning_rate=1e-3, seed=1, device="cpu")
    total = 4 * ENVS * STEPS
    watch = []
    if how == "logged":
        file = StepsFile(OUT_DIR / "steps.parquet", layout, 2**30)
        watch = [Harvest(envs, episodes, file, design, total, time.monotonic() + 1e6, lambda kind, **said: None)]
    began = time.process_time()
    model.learn(total, callback=watch)
    return (time.process_time() - began) / total * 1e6

trained("bare")  # the first construction is slow
spent = {how: [] for how in ("bare", "stripped", "logged")}
for _ in range(ROUNDS):
    for how in spent:
        spent[how].append(trained(how))
say("result", **{how: statistics.median(times) for how, times in spent.items()})
"""


async def measure(worked: WorkedProblem, rounds: int = 5) -> dict[str, float]:
    driver, _ = await driver_from_environment(LIMITS)
    try:
        payload = {"source": SCRIPT, "design": worked.design.model_dump_json(), "environment": worked.source}
        result = await driver.run(Job(entry="kit.inside.script", payload={**payload, "rounds": rounds}, limits=LIMITS))
    finally:
        await driver.close()
    if result.result is None:
        raise SystemExit(f"NOT MEASURED: {result.ending} {result.output}")
    return {how: float(str(result.result[how])) for how in ("bare", "stripped", "logged")}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "hospital_shifts"
    us = asyncio.run(measure(next(one for one in worked_problems() if one.name == name)))
    share = us["logged"] / us["stripped"] - 1
    print(f"{name}, PPO, 16 environments, microseconds of CPU an environment step:")
    for how, value in us.items():
        print(f"  {how:9}{value:8.1f}")
    print(f"  logging costs {share:+.1%} of the cheapest step, {us['logged'] / us['bare'] - 1:+.1%} of the bare one")
    print(json.dumps({"problem": name, **us, "share_of_stripped": share}))


if __name__ == "__main__":
    main()
