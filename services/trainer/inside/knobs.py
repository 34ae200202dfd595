"""Knobs: what a search for hyperparameters may turn, and how far; around the ranges of RL Baselines3 Zoo's searches."""

from __future__ import annotations

from typing import Final

from services.trainer.inside.hyperparameters import Plan
from services.trainer.inside.payloads import Knob

_COMMON: Final = (
    Knob(name="learning_rate", low=1e-4, high=1e-2, log=True),
    Knob(name="net_width", low=32, high=128, log=True, whole=True),
)
_PPO: Final = (
    *_COMMON,
    Knob(name="batch_size", low=64, high=1024, log=True, whole=True),
    Knob(name="n_epochs", low=3, high=20, whole=True),
    Knob(name="gae_lambda", low=0.6, high=0.99),
    Knob(name="ent_coef", low=0.0, high=0.02),
    Knob(name="clip_range", low=0.1, high=0.4),
)
KNOBS: Final[dict[str, tuple[Knob, ...]]] = {
    "PPO": _PPO,
    "MaskablePPO": _PPO,
    "SAC": (
        *_COMMON,
        Knob(name="batch_size", low=64, high=256, log=True, whole=True),
        Knob(name="gradient_steps", low=1, high=4, whole=True),
        Knob(name="tau", low=0.002, high=0.05, log=True),
        Knob(name="learning_starts", low=100, high=5000, log=True, whole=True),
    ),
}


def knobs_of(plan: Plan, fixed: frozenset[str]) -> tuple[Knob, ...]:
    """Those that are not `fixed` by the user, each wide enough for what the plan has without a search."""
    found = []
    for knob in KNOBS[plan.algorithm.name]:
        default = plan.values[knob.name]
        if knob.name not in fixed:
            low, high = min(knob.low, default), max(knob.high, default)
            found.append(knob.model_copy(update={"low": low, "high": high, "log": knob.log and low > 0}))
    return tuple(found)
