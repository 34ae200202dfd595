"""One training of one contender, in a process of its own: CPU seconds until its held-out return reached a target.

    python -m benchmarks.contender '{"problem": "inventory", "contender": "sb3", "settings": {}, ...}'

contender: sb3 or sbx (scalar environments in a DummyVecEnv, as their documentation has it), fast (the fast engine on
scalar environments), fast-twin or sb3-twin (on the batched twin). settings: {} is a plain script, one environment and
the library's defaults; else n_envs, steps_between (over all environments), batch_size, epochs, learning_rate, decay,
width, gae_lambda for PPO; n_envs, updates_a_step, batch_size, learning_rate, width for SAC. Prints one line of JSON.

The clock is getrusage's user + system time of the process, all its threads; it starts at learn(), after a short
training of another model with the same settings, so that nothing is paid for loading or compiling, and it stands
while the held-out episodes are played.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
from types import ModuleType
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from services.trainer.inside.draws import Draws
from services.trainer.inside.engines.fast_ppo import FastPPO
from services.trainer.inside.engines.fast_sac import FastSAC
from services.trainer.inside.engines.lean_vector import LeanVector
from services.trainer.inside.engines.twin_vector import TwinVector

HELD_OUT, SEED = 500, 777_000  # episodes, and the seed of their chance
Settings = dict[str, float]


def main() -> None:
    asked = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    problem = importlib.import_module(f"benchmarks.problems.{asked['problem']}")
    warm = model(problem, asked, seed=1000)
    warm.learn(getattr(warm, "learning_starts", 0) + 64)  # at least one update
    learner = model(problem, asked, seed=asked["seed"])
    watch = Watch(problem, asked["every"], asked["target"], asked["cap_s"], asked.get("to_the_end", False))
    learner.learn(asked["total"], callback=watch)
    print(json.dumps(watch.told()))


def model(problem: ModuleType, asked: dict[str, Any], seed: int) -> Any:
    settings: Settings = asked["settings"]
    venv = vector(problem, asked["contender"], int(settings.get("n_envs", 1)))
    chosen = (_ppo if problem.ALGORITHM == "PPO" else _sac)(settings)
    kind = _kind(asked["contender"], problem.ALGORITHM)
    learner = kind("MlpPolicy", venv, gamma=problem.DISCOUNT, seed=seed, **chosen)
    learner.get_env().seed(1000 + seed)
    return learner


def vector(problem: ModuleType, contender: str, count: int) -> VecEnv:
    if contender.endswith("-twin"):
        return TwinVector(problem.BatchedEnvironment(count), count, problem.Environment())
    kind = LeanVector if contender == "fast" else DummyVecEnv
    return kind([lambda: Monitor(problem.Environment()) for _ in range(count)])


def _kind(contender: str, algorithm: str) -> Any:
    if contender == "sbx":
        return getattr(importlib.import_module("sbx"), algorithm)
    fast = contender.startswith("fast")
    return {("PPO", False): PPO, ("PPO", True): FastPPO, ("SAC", False): SAC, ("SAC", True): FastSAC}[algorithm, fast]


def _ppo(settings: Settings) -> dict[str, Any]:
    if not settings:
        return {}
    rate = settings["learning_rate"]
    return {
        "n_steps": max(int(settings["steps_between"] / settings["n_envs"]), 2),
        "batch_size": int(settings["batch_size"]),
        "n_epochs": int(settings["epochs"]),
        "learning_rate": (lambda left: rate * left) if settings["decay"] else rate,
        "gae_lambda": settings["gae_lambda"],
        "policy_kwargs": {"net_arch": [int(settings["width"])] * 2},
    }


def _sac(settings: Settings) -> dict[str, Any]:
    if not settings:
        return {}
    every = max(round(32 / settings["n_envs"]), 1)  # vector steps: many updates in one call suit every contender
    return {
        "batch_size": int(settings["batch_size"]),
        "learning_rate": settings["learning_rate"],
        "train_freq": int(every),
        "gradient_steps": max(round(settings["updates_a_step"] * every * settings["n_envs"]), 1),
        "learning_starts": int(settings.get("learning_starts", 500)),
        "policy_kwargs": {"net_arch": [int(settings["width"])] * 2},
    }


def held_out(problem: ModuleType, act: Any) -> float:
    """Mean return of HELD_OUT episodes; their chance is the same at every call."""
    twin, draws = problem.BatchedEnvironment(HELD_OUT), Draws(np.random.default_rng(SEED), HELD_OUT)
    twin.reset(np.arange(HELD_OUT), draws)
    returns = np.zeros(HELD_OUT)
    for _ in range(problem.LIMIT):
        returns += twin.step(act(twin.observe()), draws)[0]
    return float(returns.mean())


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Watch(BaseCallback):
    """Plays the held-out episodes every so many steps, on a clock that stands meanwhile."""

    def __init__(self, problem: ModuleType, every: int, target: float, cap_s: float, to_the_end: bool) -> None:
        super().__init__()
        self._problem, self._every, self._next = problem, every, every
        self._target, self._cap_s, self._to_the_end = target, cap_s, to_the_end
        self._curve: list[tuple[int, float, float]] = []  # steps, CPU s, return
        self._reached: tuple[int, float] | None = None
        self._elsewhere = 0.0

    def _on_training_start(self) -> None:
        self._began = cpu_s()

    def _on_step(self) -> bool:
        if self.num_timesteps < self._next:
            return True
        self._next += self._every
        self._look()
        over = self._curve[-1][1] > self._cap_s
        return not over and (self._to_the_end or self._reached is None)

    def _on_training_end(self) -> None:
        if self._reached is None or self._to_the_end:
            self._look()

    def _look(self) -> None:
        began = cpu_s()
        spent = began - self._began - self._elsewhere
        mean = held_out(self._problem, lambda seen: self.model.predict(seen, deterministic=True)[0])
        self._curve.append((self.num_timesteps, spent, mean))
        if self._reached is None and mean >= self._target:
            self._reached = (self.num_timesteps, spent)
        self._elsewhere += cpu_s() - began

    def told(self) -> dict[str, Any]:
        steps, spent, mean = self._curve[-1]
        return {
            "reached_s": self._reached and self._reached[1],
            "reached_steps": self._reached and self._reached[0],
            "spent_s": spent,
            "steps": steps,
            "us_a_step": 1e6 * spent / max(steps, 1),
            "final": mean,
            "rule": held_out(self._problem, lambda seen: self._problem.rule(seen, **self._problem.TUNED)),
            "curve": [[steps, round(spent, 3), round(mean, 3)] for steps, spent, mean in self._curve],
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }


if __name__ == "__main__":
    main()
