"""What logging every step costs the fast engine: the same PPO training with our columns and without, in turn, in a box.

    python -m benchmarks.logging_cost [PROBLEM]     a worked problem, hospital_shifts where none is named

scalar: environments in a row; twin: the batched twin of the problem, proved equal. Each bare (nothing is logged, info
is thrown away: the cheapest there can be) and logged as the trainer does it, with columns of every state variable and
component, metrics by formula, and the Parquet file. CPU seconds, medians.
"""

from __future__ import annotations

import asyncio
import json
import sys

from kit.library.worked import WorkedProblem, worked_problems
from kit.sandbox.jobs import Job, Limits
from kit.sandbox.settings import driver_from_environment

LIMITS = Limits(wall_s=900, memory_mib=2048, work_mib=256)
HOWS = ("scalar_bare", "scalar_logged", "twin_bare", "twin_logged")

SCRIPT = """
import statistics, time
import gymnasium, torch
from stable_baselines3.common.monitor import Monitor
from kit.contracts.design import EnvDesign
from kit.contracts.formulas import compile_design
from services.trainer.inside.candidate import load
from services.trainer.inside.engines.fast import FastEngine
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.twin_vector import TwinVector
from services.trainer.inside.episodes import Episodes
from services.trainer.inside.harvest import Harvest
from services.trainer.inside.hyperparameters import plan
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.steps_file import StepsFile
from services.trainer.inside.twin_recorder import TwinRecorder
from services.trainer.inside.twins import load_twin

torch.set_num_threads(1)
design = EnvDesign.model_validate_json(payload["design"])
make, layout = load(payload["environment"], design), Layout(design)
episodes = Episodes(compile_design(design), layout)
TOTAL = 24576

class Stripped(gymnasium.Wrapper):
    def reset(self, **kwargs):
        return self.env.reset(**kwargs)[0], {}
    def step(self, action):
        return *self.env.step(action)[:4], {}

def trained(how):
    kind, logged = how.split("_")
    copies = 64 if kind == "twin" else 16
    settings = plan(design, 1, TOTAL, copies)
    if kind == "twin":
        twin = load_twin(payload["twin"], design)(copies)
        recorders = TwinRecorder(twin, copies, layout)
        venv = TwinVector(recorders if logged == "logged" else twin, copies, make())
    else:
        envs = [Recorder(make(), design, layout) if logged == "logged" else Stripped(make()) for _ in range(copies)]
        recorders = Recorders(envs)
        venv = LeanVector([lambda env=env: Monitor(env) for env in envs])
    model = FastEngine().model(settings, venv)
    watch = []
    if logged == "logged":
        file = StepsFile(OUT_DIR / "steps.parquet", layout, 2**30)
        later = time.monotonic() + 1e6
        watch = [Harvest(recorders, episodes, file, design, TOTAL, later, lambda kind, **said: None)]
    began = time.process_time()
    model.learn(TOTAL, callback=watch)
    return (time.process_time() - began) / model.num_timesteps * 1e6

hows = payload["hows"]
trained(hows[0])  # the first construction is slow
spent = {how: [] for how in hows}
for _ in range(payload["rounds"]):
    for how in spent:
        spent[how].append(trained(how))
say("result", **{how: statistics.median(times) for how, times in spent.items()})
"""


async def measure(worked: WorkedProblem, rounds: int = 5) -> dict[str, float]:
    driver, _ = await driver_from_environment(LIMITS)
    hows = HOWS if worked.twin else HOWS[:2]
    payload: dict[str, object] = {
        "source": SCRIPT,
        "design": worked.design.model_dump_json(),
        "environment": worked.source,
        "twin": worked.twin,
        "rounds": rounds,
        "hows": hows,
    }
    try:
        result = await driver.run(Job(entry="kit.inside.script", payload=payload, limits=LIMITS))
    finally:
        await driver.close()
    if result.result is None:
        raise SystemExit(f"NOT MEASURED: {result.ending} {result.output}")
    return {how: float(str(result.result[how])) for how in hows}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "hospital_shifts"
    us = asyncio.run(measure(next(one for one in worked_problems() if one.name == name)))
    shares = {
        kind: us[f"{kind}_logged"] / us[f"{kind}_bare"] - 1 for kind in ("scalar", "twin") if f"{kind}_bare" in us
    }
    print(f"{name}, the fast engine, microseconds of CPU an environment step:")
    for how, value in us.items():
        print(f"  {how.replace('_', ', '):16}{value:8.1f}")
    for kind, share in shares.items():
        print(f"  logging costs {share:+.1%} of a {kind} step")
    print(json.dumps({"problem": name, **us, "shares": shares}))


if __name__ == "__main__":
    main()
