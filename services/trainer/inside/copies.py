"""The environments of a training: the batched twin where there is one that proves equal, else scalar ones in a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from stable_baselines3.common.monitor import Monitor, ResultsWriter
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.candidate import Maker
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.twin_vector import TwinVector
from services.trainer.inside.hyperparameters import Plan
from services.trainer.inside.payloads import TrainPayload
from services.trainer.inside.randomising import Randomised
from services.trainer.inside.recorder import Recorder
from services.trainer.inside.recorders import Recorders
from services.trainer.inside.rows import Layout
from services.trainer.inside.twin_recorder import TwinBroke, TwinRecorder
from services.trainer.inside.twins import WORTH, MakeTwin, load_twin, prove

MOST_COPIES: Final = 64  # a step of the twin costs about the same for a few copies and for these
LEAST_STEPS: Final = 32  # of each copy in a rollout


@dataclass(frozen=True)
class Copies:
    """plan: as it is in force with them. twin: what became of the twin, in a clause; empty where there was none.
    make_twin: None where they are scalar."""

    venv: VecEnv
    recorders: Recorders | TwinRecorder
    plan: Plan
    twin: str
    make_twin: MakeTwin | None = None


def copies_for(
    asked: TrainPayload, plan: Plan, make: Maker, layout: Layout, watched: list[Any], monitors: Path
) -> Copies:
    """watched: gets every recorder as it is made. monitors: the folder of monitor.csv files."""
    if not asked.twin:
        return _scalar(plan, asked, make, layout, watched, monitors, "")
    if layout.parameters:
        names = ", ".join(part.name for part in layout.parameters)
        said = f"set aside: {names} can change from episode to episode, which copies of a twin can't"
        return _scalar(plan, asked, make, layout, watched, monitors, said)
    if plan.total_timesteps < WORTH:
        said = f"set aside: a training of less than {WORTH:,} steps is over before a proof of it would be"
        return _scalar(plan, asked, make, layout, watched, monitors, said)
    try:
        make_twin = load_twin(asked.twin, asked.design)
    except TwinBroke as broke:
        return _scalar(plan, asked, make, layout, watched, monitors, f"set aside: {broke}")
    proof = prove(make, make_twin, asked.design, layout, watched)
    if proof.differs:
        return _scalar(plan, asked, make, layout, watched, monitors, str(proof))
    return _batched(widened(plan, asked), make, make_twin, layout, watched, monitors, str(proof))


def widened(plan: Plan, asked: TrainPayload) -> Plan:
    """PPO's rollout spread over more copies, unless the user said how many."""
    said = asked.n_envs is not None or any(one.name in ("n_envs", "n_steps") for one in asked.hyperparameters)
    if said or "n_steps" not in plan.values:
        return plan
    rollout = plan.n_envs * plan.whole("n_steps")
    count = plan.n_envs
    while 2 * count <= MOST_COPIES and rollout // (2 * count) >= LEAST_STEPS:
        count *= 2
    return replace(plan, values={**plan.values, "n_envs": count, "n_steps": rollout // count})


def _scalar(
    plan: Plan, asked: TrainPayload, make: Maker, layout: Layout, watched: list[Any], monitors: Path, said: str
) -> Copies:
    envs = [Randomised(make) if layout.parameters else make() for _ in range(plan.n_envs)]
    recorders = [Recorder(env, asked.design, layout) for env in envs]
    watched += recorders
    venv = LeanVector([_monitored(recorder, monitors / f"{i:03d}") for i, recorder in enumerate(recorders)])
    return Copies(venv, Recorders(recorders), plan, said)


def _batched(
    plan: Plan, make: Maker, make_twin: MakeTwin, layout: Layout, watched: list[Any], monitors: Path, said: str
) -> Copies:
    recorder = TwinRecorder(make_twin(plan.n_envs), plan.n_envs, layout)
    watched.append(recorder)
    monitors.mkdir(parents=True, exist_ok=True)
    results = ResultsWriter(str(monitors / "000"), header={"t_start": 0.0, "env_id": "twin"})
    return Copies(TwinVector(recorder, plan.n_envs, make(), results), recorder, plan, said, make_twin)


def _monitored(recorder: Recorder, path: Path) -> Callable[[], Monitor]:
    return lambda: Monitor(recorder, str(path))
