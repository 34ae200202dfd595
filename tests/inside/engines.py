"""What the engines' tests train on: small random environments of every family, and the same model on both engines."""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from services.trainer.inside.engines.fast_ppo import FastMaskablePPO, FastPPO
from services.trainer.inside.engines.fast_sac import FastSAC

ACTIONS = {
    "discrete": spaces.Discrete(5),
    "multi_discrete": spaces.MultiDiscrete([11, 6, 2]),
    "multi_discrete_even": spaces.MultiDiscrete([4, 4]),
    "multi_binary": spaces.MultiBinary(3),
    "box": spaces.Box(np.float32([-2, 0]), np.float32([2, 3])),
    "masked_discrete": spaces.Discrete(5),
    "masked_multi_discrete": spaces.MultiDiscrete([4, 3]),
}
FEATURES = 6


class Drift(gymnasium.Env):
    """A point that drifts; the reward is for small numbers and for the action's. Some episodes end, some are cut."""

    def __init__(self, actions, limit=23):
        self.observation_space = spaces.Box(-5, 5, (FEATURES,), np.float32)
        self.action_space = actions
        self.limit = limit

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.step_number = 0
        self.at = self.np_random.normal(size=FEATURES).astype(np.float32)
        return self.at, {}

    def step(self, action):
        self.step_number += 1
        push = 0.1 * float(np.sum(action))
        self.at = np.clip(0.9 * self.at + 0.3 * self.np_random.normal(size=FEATURES), -5, 5).astype(np.float32)
        reward = -abs(float(self.at[0]) + push) + 0.2 * push
        return self.at, reward, bool(self.at[1] > 1.6), self.step_number >= self.limit, {}

    def action_masks(self):
        count = sum(
            int(n) for n in np.atleast_1d(getattr(self.action_space, "nvec", getattr(self.action_space, "n", 0)))
        )
        legal = np.ones(count, bool)
        legal[0] = self.at[0] > 0
        legal[-1] = self.at[2] > -0.5
        return legal


def vector(actions, count=4):
    return DummyVecEnv([lambda: Monitor(Drift(actions)) for _ in range(count)])


def ppo(family, fast, **settings):
    """The same model for the same seed, whichever the engine."""
    masked = family.startswith("masked")
    kind = {(False, False): PPO, (False, True): FastPPO, (True, False): MaskablePPO, (True, True): FastMaskablePPO}
    chosen = {"n_steps": 64, "batch_size": 50, "n_epochs": 10, "learning_rate": 1e-3, "seed": 3, "gamma": 0.97}
    chosen |= {"policy_kwargs": {"net_arch": [16, 16]}, "device": "cpu"} | settings
    return kind[masked, fast]("MlpPolicy", vector(ACTIONS[family]), **chosen)


def sac(fast, **settings):
    """The same model for the same seed, whichever the engine."""
    chosen = {"batch_size": 32, "learning_rate": 1e-3, "buffer_size": 900, "learning_starts": 100, "gradient_steps": 2}
    chosen |= {"seed": 3, "gamma": 0.97, "tau": 0.01, "policy_kwargs": {"net_arch": [16, 16]}, "device": "cpu"}
    return (FastSAC if fast else SAC)("MlpPolicy", vector(ACTIONS["box"]), **chosen | settings)


def farthest(one, other):
    """The largest difference of any parameter, targets included."""
    pairs = zip(one.policy.parameters(), other.policy.parameters(), strict=True)
    return max(float((a - b).abs().max()) for a, b in pairs)
