"""The reference engine: the library's own classes and loops."""

from __future__ import annotations

from collections.abc import Callable

from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.hyperparameters import Plan

PPO_ARGUMENTS = ("gae_lambda", "ent_coef", "clip_range", "vf_coef", "max_grad_norm")


class Sb3Engine:
    """PPO, MaskablePPO and SAC as Stable-Baselines3 has them."""

    name = "sb3"

    def model(self, plan: Plan, venv: VecEnv) -> BaseAlgorithm:
        if plan.algorithm.name == "SAC":
            return sac(SAC, plan, venv)
        return ppo(MaskablePPO if plan.algorithm.name == "MaskablePPO" else PPO, plan, venv)


def ppo(kind: type[PPO | MaskablePPO], plan: Plan, venv: VecEnv) -> BaseAlgorithm:
    """kind: the library's class or a subclass of it."""
    return kind(
        policy_for(venv),
        venv,
        n_steps=plan.whole("n_steps"),
        batch_size=plan.whole("batch_size"),
        n_epochs=plan.whole("n_epochs"),
        learning_rate=_learning_rate(plan),
        gamma=plan.discount,
        policy_kwargs={"net_arch": [plan.whole("net_width")] * 2},
        seed=plan.seed,
        device="cpu",
        **{name: plan.values[name] for name in PPO_ARGUMENTS},
    )


def sac(kind: type[SAC], plan: Plan, venv: VecEnv) -> BaseAlgorithm:
    """kind: the library's class or a subclass of it."""
    return kind(
        policy_for(venv),
        venv,
        learning_rate=plan.values["learning_rate"],
        batch_size=plan.whole("batch_size"),
        buffer_size=plan.whole("buffer_size"),
        learning_starts=plan.whole("learning_starts"),
        train_freq=plan.whole("train_freq"),
        gradient_steps=plan.whole("gradient_steps"),
        tau=plan.values["tau"],
        gamma=plan.discount,
        policy_kwargs={"net_arch": [plan.whole("net_width")] * 2},
        seed=plan.seed,
        device="cpu",
    )


def policy_for(venv: VecEnv) -> str:
    """The library's networks for this kind of observation."""
    if isinstance(venv.observation_space, spaces.Dict):
        return "MultiInputPolicy"
    return "CnnPolicy" if is_image_space(venv.observation_space) else "MlpPolicy"


def _learning_rate(plan: Plan) -> float | Callable[[float], float]:
    rate = plan.values["learning_rate"]
    return (lambda left: left * rate) if plan.values["lr_decay"] else rate
