"""The fast engine: the library's algorithms with their arithmetic in NumPy."""

from __future__ import annotations

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.engines.fast_ppo import FastMaskablePPO, FastPPO
from services.trainer.inside.engines.fast_sac import FastSAC
from services.trainer.inside.engines.refusal import DoesNotApply
from services.trainer.inside.engines.sb3 import policy_for, ppo, sac
from services.trainer.inside.hyperparameters import Plan


class FastEngine:
    """PPO, MaskablePPO and SAC; raises DoesNotApply for what it can't train."""

    name = "fast"

    def model(self, plan: Plan, venv: VecEnv) -> BaseAlgorithm:
        if (policy := policy_for(venv)) != "MlpPolicy":
            seen = "several parts" if policy == "MultiInputPolicy" else "an image"
            raise DoesNotApply(f"the observation is {seen}, and the fast engine reads one vector")
        match plan.algorithm.name:
            case "PPO":
                return ppo(FastPPO, plan, venv)
            case "MaskablePPO":
                return ppo(FastMaskablePPO, plan, venv)
            case "SAC":
                return sac(FastSAC, plan, venv)
            case other:
                raise DoesNotApply(f"there is no fast {other}")
