"""One training of one engine to its end, in a process of its own: the mean return of its final policy.

    python -m benchmarks.pupil '{"problem": "CartPole-v1", "engine": "fast", "seed": 0, "share": 1}'

engine: sb3 (the library's loops and its DummyVecEnv) or fast (LeanVector). Both train with the same settings and for
share of the same steps, on scalar environments; the policy then plays EPISODES held-out episodes, at its best action.
For a worked problem, `steps` and `hyperparameters`, a value by name, take the place of share and its design's advice.
Prints one line of JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as maskable_evaluate_policy
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from benchmarks.schools import SCHOOLS, School
from kit.contracts.design import EnvDesign, Hyperparameter
from services.trainer.inside.candidate import load
from services.trainer.inside.engines.fast import FastEngine
from services.trainer.inside.engines.fast_ppo import FastPPO
from services.trainer.inside.engines.fast_sac import FastSAC
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.sb3 import Sb3Engine
from services.trainer.inside.hyperparameters import plan

EPISODES, TOGETHER = 100, 50
HELD_OUT = 900_000  # the seed of the held-out episodes' chance
WORKED = Path(__file__).resolve().parents[1] / "kit" / "library" / "problems"

KINDS: dict[tuple[str, str], Any] = {
    ("PPO", "sb3"): PPO, ("PPO", "fast"): FastPPO, ("SAC", "sb3"): SAC, ("SAC", "fast"): FastSAC,
}  # fmt: skip


class Held(gymnasium.Wrapper):  # type: ignore[misc]
    """Each action is held for several steps: what makes a lone goal reachable by chance."""

    def __init__(self, env: gymnasium.Env, steps: int) -> None:
        super().__init__(env)
        self._steps = steps

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        paid = 0.0
        for _ in range(self._steps):
            seen, reward, terminated, truncated, info = self.env.step(action)
            paid += float(reward)
            if terminated or truncated:
                break
        return seen, paid, terminated, truncated, info


def main() -> None:
    asked = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    name, engine, seed = asked["problem"], asked["engine"], asked["seed"]
    school = SCHOOLS.get(name, School(0))
    total = asked.get("steps") or int(school.steps * asked["share"])
    if school.worked:
        make, model = worked(name, engine, seed, total, asked.get("hyperparameters"))
    else:
        make, model = classic(name, school, engine, seed, total)
    model.get_env().seed(1000 * (1 + seed))
    model.learn(total)
    used = resource.getrusage(resource.RUSAGE_SELF)
    held_out = DummyVecEnv([lambda: Monitor(make())] * TOGETHER)
    held_out.seed(HELD_OUT)
    judge = maskable_evaluate_policy if isinstance(model, MaskablePPO) else evaluate_policy
    mean, spread = judge(model, held_out, n_eval_episodes=EPISODES)
    print(json.dumps({"mean": mean, "spread": spread, "cpu_s": used.ru_utime + used.ru_stime}))


def classic(name: str, school: School, engine: str, seed: int, total: int) -> tuple[Callable[[], Any], Any]:
    """One of Gymnasium's own problems."""

    def make() -> gymnasium.Env:
        return Held(gymnasium.make(name), school.held) if school.held > 1 else gymnasium.make(name)

    settings = dict(school.settings)
    rate, width = settings.pop("learning_rate"), int(settings.pop("width"))
    learner = KINDS[school.algorithm, engine](
        "MlpPolicy",
        _vector(engine, make, int(settings.pop("n_envs"))),
        learning_rate=(lambda left: rate * left) if settings.pop("decay") else rate,
        policy_kwargs={"net_arch": [width, width]},
        seed=seed,
        device="cpu",
        **{name: int(value) if value == int(value) and value >= 2 else value for name, value in settings.items()},
    )
    return make, learner


def worked(
    name: str, engine: str, seed: int, total: int, chosen: dict[str, float] | None
) -> tuple[Callable[[], Any], Any]:
    """A worked problem of the library, with the trainer's own plan. chosen: instead of its design's advice."""
    design = EnvDesign.model_validate_json((WORKED / name / "design.json").read_text())
    if chosen is not None:
        advice = tuple(Hyperparameter(name=key, value=value) for key, value in chosen.items())
        design = design.model_copy(update={"training": design.training.model_copy(update={"hyperparameters": advice})})
    make = load((WORKED / name / "environment.py").read_text(), design)
    settings = plan(design, seed, total)
    venv = _vector(engine, make, settings.n_envs)
    return make, (FastEngine() if engine == "fast" else Sb3Engine()).model(settings, venv)


def _vector(engine: str, make: Callable[[], Any], count: int) -> DummyVecEnv:
    return (LeanVector if engine == "fast" else DummyVecEnv)([lambda: Monitor(make())] * count)


if __name__ == "__main__":
    main()
