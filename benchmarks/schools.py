"""What the quality benchmark trains on, with which settings and for how long; all of it the same for both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class School:
    """steps: of the training, over all environments. held: for how many steps each action is held.

    settings: names of the library's constructor, with n_envs, width and decay; a worked problem has the trainer's plan.
    """

    steps: int
    algorithm: str = ""
    settings: Mapping[str, float] = field(default_factory=dict)
    held: int = 1

    @property
    def worked(self) -> bool:
        return not self.settings


_PPO = {
    "n_envs": 8, "n_steps": 128, "batch_size": 256, "n_epochs": 10, "learning_rate": 1e-3, "decay": 1, "width": 64,
    "gae_lambda": 0.95, "gamma": 0.99, "ent_coef": 0.0,
}  # fmt: skip
_SAC = {
    "n_envs": 4, "train_freq": 8, "gradient_steps": 16, "batch_size": 128, "learning_rate": 1e-3, "decay": 0,
    "width": 64, "learning_starts": 500, "gamma": 0.99,
}  # fmt: skip

SCHOOLS: Mapping[str, School] = {
    "CartPole-v1": School(60_000, "PPO", _PPO | {"gae_lambda": 0.8, "gamma": 0.98}),
    "Pendulum-v1": School(120_000, "PPO", _PPO | {"n_steps": 512, "gamma": 0.9}),
    "Acrobot-v1": School(100_000, "PPO", _PPO),
    "MountainCarContinuous-v0": School(12_000, "SAC", _SAC, held=8),
    "inventory_365": School(150_000),
    "hospital_shifts": School(150_000),
    "office_heating": School(30_000),
}
