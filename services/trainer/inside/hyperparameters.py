"""Hyperparameters by name: measured defaults, below the design's advice, below what the user says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kit.contracts.design import EnvDesign, Hyperparameter
from services.trainer.inside.algorithms import Algorithm, algorithm_for


class HyperparameterRefused(ValueError):
    """A name that the algorithm doesn't have, or a value that it can't take."""


@dataclass(frozen=True)
class Range:
    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True)
class Plan:
    """Everything that decides a training, apart from the environment. values: by name, all of them."""

    algorithm: Algorithm
    seed: int
    total_timesteps: int
    discount: float
    values: dict[str, float]

    def whole(self, name: str) -> int:
        return int(self.values[name])

    @property
    def n_envs(self) -> int:
        return self.whole("n_envs")


_COMMON: Final = {
    "n_envs": Range(1, 256, whole=True),
    "learning_rate": Range(1e-7, 1),
    "batch_size": Range(2, 65_536, whole=True),
    "net_width": Range(4, 1024, whole=True),
    "early_stop": Range(0, 1000, whole=True),  # evaluations in a row without a better one that end it; 0: never
}
_PPO: Final = _COMMON | {
    "n_steps": Range(2, 65_536, whole=True),
    "n_epochs": Range(1, 100, whole=True),
    "gae_lambda": Range(0, 1),
    "ent_coef": Range(0, 10),
    "clip_range": Range(1e-3, 1),
    "vf_coef": Range(0, 10),
    "max_grad_norm": Range(1e-3, 100),
    "lr_decay": Range(0, 1, whole=True),  # 1: linearly to zero over the training
}
RANGES: Final[dict[str, dict[str, Range]]] = {
    "PPO": _PPO,
    "MaskablePPO": _PPO,
    "SAC": _COMMON
    | {
        "buffer_size": Range(100, 1_000_000, whole=True),
        "learning_starts": Range(1, 1_000_000, whole=True),
        "train_freq": Range(1, 10_000, whole=True),  # vector steps between updates
        "gradient_steps": Range(1, 10_000, whole=True),  # at each update
        "tau": Range(1e-5, 1),
    },
}

# Measured by benchmarks/settings.py (docs/training.md has the table); two hidden layers of net_width.
_PPO_DEFAULTS: Final = {
    "n_envs": 16, "batch_size": 256, "n_epochs": 10, "learning_rate": 1e-3, "lr_decay": 1, "gae_lambda": 0.95,
    "ent_coef": 0.0, "clip_range": 0.2, "vf_coef": 0.5, "max_grad_norm": 0.5, "net_width": 64,
}  # fmt: skip
# One update for two steps: half of Stable-Baselines3's, at the same quality on these problems.
_SAC_DEFAULTS: Final = {
    "n_envs": 4, "learning_rate": 1e-3, "batch_size": 128, "train_freq": 1, "gradient_steps": 2, "tau": 0.005,
    "net_width": 64,
}  # fmt: skip
DEFAULTS: Final[dict[str, dict[str, float]]] = {
    "PPO": _PPO_DEFAULTS,
    "MaskablePPO": _PPO_DEFAULTS,
    "SAC": _SAC_DEFAULTS,
}
_ROLLOUT: Final = 4096  # PPO steps between updates, over all environments
_ROLLOUTS: Final = 20  # a short training still gets about this many updates
_LEAST_ROLLOUT: Final = 256
_BUFFER_BYTES: Final = 2**30


def plan(
    design: EnvDesign,
    seed: int = 0,
    total_timesteps: int | None = None,
    n_envs: int | None = None,
    hyperparameters: Iterable[Hyperparameter] = (),
) -> Plan:
    """Raises HyperparameterRefused saying which name or value, and what is possible."""
    algorithm = algorithm_for(design.action)
    advised = checked(algorithm.name, design.training.hyperparameters)
    asked = checked(algorithm.name, hyperparameters)
    if n_envs is not None:
        asked |= checked(algorithm.name, [Hyperparameter(name="n_envs", value=n_envs)])
    total = total_timesteps or design.training.total_timesteps
    values = {**DEFAULTS[algorithm.name], **advised, **asked}
    fitted = _fitted(algorithm.name, values, total, _bytes(design))
    return Plan(algorithm, seed, total, design.training.discount, fitted)


def checked(algorithm: str, given: Iterable[Hyperparameter]) -> dict[str, float]:
    """By name; every name known, every value in its range."""
    ranges = RANGES[algorithm]
    values: dict[str, float] = {}
    for one in given:
        if one.name not in ranges:
            raise HyperparameterRefused(
                f"{algorithm} has no hyperparameter {one.name} here; it has {', '.join(sorted(ranges))}"
            )
        allowed = ranges[one.name]
        if not allowed.low <= one.value <= allowed.high or (allowed.whole and one.value != int(one.value)):
            kind = "a whole number" if allowed.whole else "a number"
            raise HyperparameterRefused(
                f"{one.name} must be {kind} from {allowed.low:g} to {allowed.high:g}, not {one.value:g}"
            )
        values[one.name] = one.value
    return values


def _bytes(design: EnvDesign) -> int:
    """Of one observation in a replay buffer."""
    return sum(term.size * (4 if term.image is None else 1) for term in design.observation)


def _fitted(algorithm: str, values: dict[str, float], total: int, observation_bytes: int) -> dict[str, float]:
    """What follows from the rest, unless it was said: rollout, buffer, warm-up."""
    n_envs = int(values["n_envs"])
    if algorithm == "SAC":
        held = _BUFFER_BYTES // (2 * observation_bytes)  # each step is kept with the one after it
        values.setdefault("buffer_size", min(max(total, 1000), 300_000, max(held, 1000)))
        values.setdefault("learning_starts", max(min(1000, total // 10), 1))
        return values
    rollout = min(max(total // _ROLLOUTS, _LEAST_ROLLOUT), _ROLLOUT)
    values.setdefault("n_steps", max(rollout // n_envs, 2))
    values["batch_size"] = min(values["batch_size"], values["n_steps"] * n_envs)
    return values
