"""Engines: who runs the algorithm's loop. What comes out is an ordinary Stable-Baselines3 model either way."""

from __future__ import annotations

from typing import Protocol

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.hyperparameters import Plan


class Engine(Protocol):
    """name: stands in the report."""

    name: str

    def model(self, plan: Plan, venv: VecEnv) -> BaseAlgorithm:
        """A model of plan.algorithm on `venv`, not trained yet; its learn() is the engine's loop."""
