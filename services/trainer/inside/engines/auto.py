"""Auto: the fast engine where it applies, else the library's own, and why in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.engines.fast import FastEngine
from services.trainer.inside.engines.refusal import DoesNotApply
from services.trainer.inside.engines.sb3 import Sb3Engine
from services.trainer.inside.hyperparameters import Plan


@dataclass(frozen=True)
class Chosen:
    """engine: "fast" or "sb3". why: one sentence. model: not trained yet."""

    engine: str
    why: str
    model: BaseAlgorithm


def choose(plan: Plan, venv: VecEnv) -> Chosen:
    try:
        model = FastEngine().model(plan, venv)
    except DoesNotApply as reason:
        return Chosen(Sb3Engine.name, f"The library's own loops, since {reason}.", Sb3Engine().model(plan, venv))
    why = f"{plan.algorithm.name} over a vector of observations: the same algorithm with its arithmetic in NumPy."
    return Chosen(FastEngine.name, why, model)
