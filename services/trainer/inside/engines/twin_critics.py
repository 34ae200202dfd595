"""TwinCritics: SAC's actor, its two critics and their targets in NumPy, on the library's own policy's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.sac.policies import LOG_STD_MAX, LOG_STD_MIN, SACPolicy
from torch import nn

from services.trainer.inside.engines.flat import Flat, Floats, adam_is_plain
from services.trainer.inside.engines.nets import Mlp, in_order, linears, plain, side_by_side

TINY = np.float32(1e-6)  # as the library has it, below the logarithm of the squashing's slope


@dataclass(frozen=True)
class Transitions:
    """observations, after: (features, rows); actions: (numbers, rows), squashed; rewards, goes_on: (rows,)."""

    observations: Floats
    actions: Floats
    after: Floats
    rewards: Floats
    goes_on: Floats  # 0 where the episode terminated


@dataclass(frozen=True)
class Step:
    """What one gradient step did, as the library logs it."""

    actor: float
    critic: float
    temperature: float
    temperature_loss: float


class TwinCritics:
    """The critics are computed as copies of one network, and so are their targets."""

    def __init__(self, policy: SACPolicy) -> None:
        actor, squash = policy.actor, policy.actor.activation_fn
        trunk, heads = linears(actor.latent_pi), [actor.mu, actor.log_std]
        self.actor_flat = Flat(in_order([trunk]) + in_order([[head] for head in heads]), actor.optimizer)
        self._trunk = Mlp(side_by_side(self.actor_flat, [trunk]), squash, to_the_end=True)
        self._heads = Mlp(side_by_side(self.actor_flat, [[head] for head in heads]), squash, to_the_end=False)
        nets = [[linears(net) for net in critic.q_networks] for critic in (policy.critic, policy.critic_target)]
        self.critic_flat = Flat(in_order(nets[0]), policy.critic.optimizer)
        self.target_flat = Flat(in_order(nets[1]))
        self._critics = Mlp(side_by_side(self.critic_flat, nets[0]), squash, to_the_end=False)
        self._targets = Mlp(side_by_side(self.target_flat, nets[1]), squash, to_the_end=False)
        self._features = int(policy.observation_space.shape[0])
        self._seen: dict[int, tuple[Floats, ...]] = {}

    def bind(self) -> None:
        for flat in (self.actor_flat, self.critic_flat, self.target_flat):
            flat.bind()

    def act(self, observations: Floats, noise: Floats) -> Floats:
        """(rows, numbers) in [-1, 1], from (rows, features)."""
        mean, log_spread = self._heads.forward(self._trunk.forward(observations.T))
        actions: Floats = np.tanh(mean + np.exp(np.clip(log_spread, LOG_STD_MIN, LOG_STD_MAX)) * noise).T
        return actions

    def best(self, observations: Floats) -> Floats:
        """The squashed means, (rows, numbers)."""
        means: Floats = np.tanh(self._heads.forward(self._trunk.forward(observations.T))[0]).T
        return means

    def learn_critics(self, batch: Transitions, noise: Floats, temperature: float, gamma: float) -> float:
        """Gradients of the critics' loss into critic_flat, and the loss. noise: for the actions after."""
        count, rows = self._features, len(batch.rewards)
        seen, slopes = self._inputs(rows, len(batch.actions))[:2]
        actions, scores = self._draw(batch.after, noise)
        seen[:count], seen[count:] = batch.after, actions
        worth = self._targets.forward(seen).min(axis=0)[0]
        worth -= np.float32(temperature) * scores
        worth *= batch.goes_on
        worth *= np.float32(gamma)
        worth += batch.rewards

        seen[:count], seen[count:] = batch.observations, batch.actions
        missed = np.subtract(self._critics.forward(seen), worth, out=slopes)
        loss = 0.5 * float(np.vdot(missed, missed)) / rows
        missed *= np.float32(1.0 / rows)
        self._critics.backward(missed)
        return loss

    def score(self, observations: Floats, noise: Floats) -> Floats:
        """Draw the actor's actions; their log-probabilities. learn_actor() goes on from here."""
        self._noise = noise
        self._actions, scores = self._draw(observations, noise)
        return scores

    def learn_actor(self, observations: Floats, scores: Floats, temperature: float) -> float:
        """Gradients of the actor's loss into actor_flat, and the loss; after score() on the same observations."""
        count, rows = self._features, len(scores)
        seen, slopes, to_inputs, by_heads, by_trunk = self._inputs(rows, len(self._actions))
        seen[:count], seen[count:] = observations, self._actions
        worth = self._critics.forward(seen)
        first = worth[0, 0] <= worth[1, 0]
        loss = float((np.float32(temperature) * scores - np.where(first, worth[0, 0], worth[1, 0])).mean())
        np.multiply(first, np.float32(-1.0 / rows), out=slopes[0, 0])
        np.subtract(np.float32(-1.0 / rows), slopes[0, 0], out=slopes[1, 0])
        self._critics.backward(slopes, gradients=False, to_inputs=to_inputs)

        share = np.float32(temperature / rows)
        by_mean, by_log_spread = by_heads
        np.add(to_inputs[0, count:], to_inputs[1, count:], out=by_mean)
        by_mean += share * 2.0 * self._actions / (self._slope + TINY)
        by_mean *= self._slope
        np.multiply(by_mean, self._pushed, out=by_log_spread)
        by_log_spread -= share
        by_log_spread *= self._free
        self._heads.backward(by_heads, to_inputs=by_trunk)
        np.add(by_trunk[:1], by_trunk[1:], out=by_trunk[:1])
        self._trunk.backward(by_trunk[:1])
        return loss

    def follow(self, share: float) -> None:
        """The targets move towards the critics."""
        self.target_flat.values *= np.float32(1.0 - share)
        self.target_flat.values += np.float32(share) * self.critic_flat.values

    def _draw(self, observations: Floats, noise: Floats) -> tuple[Floats, Floats]:
        """Squashed actions and their scores; keeps what the slopes need."""
        mean, raw = self._heads.forward(self._trunk.forward(observations))
        log_spread = np.clip(raw, LOG_STD_MIN, LOG_STD_MAX)
        self._free = log_spread == raw  # where the clip holds, nothing moves the spread
        self._pushed = np.exp(log_spread) * noise
        actions = np.tanh(mean + self._pushed)
        self._slope = 1.0 - actions * actions
        each = noise * noise
        each *= np.float32(-0.5)
        each -= log_spread
        each -= np.log(self._slope + TINY)
        return actions, each.sum(axis=0) - np.float32(0.5 * log(2 * pi) * len(actions))

    def _inputs(self, rows: int, numbers: int) -> tuple[Floats, ...]:
        if rows not in self._seen:
            width = self._features + numbers
            shapes = [(width, rows), (2, 1, rows), (2, width, rows), (2, numbers, rows), (2, self._trunk.width, rows)]
            self._seen[rows] = tuple(np.empty(shape, np.float32) for shape in shapes)
        return self._seen[rows]


def why_not(policy: SACPolicy) -> str:
    """Why this policy can't be computed here, in a clause; empty where it can."""
    observed = policy.observation_space
    if type(policy) is not SACPolicy or policy.device != torch.device("cpu"):
        return f"the policy is a {type(policy).__name__}, or is not on the CPU"
    if not isinstance(observed, spaces.Box) or len(observed.shape) != 1 or len(policy.action_space.shape) != 1:
        return "observations or actions are not a vector"
    actor, critic = policy.actor, policy.critic
    if type(actor.features_extractor) is not FlattenExtractor or policy.share_features_extractor or actor.use_sde:
        return "the actor has a features extractor of its own, or explores by state"
    squash = actor.activation_fn
    if squash not in (nn.Tanh, nn.ReLU) or not all(plain(n, squash) for n in [actor.latent_pi, *critic.q_networks]):
        return "the networks are no plain Tanh or ReLU networks"
    if len(critic.q_networks) != 2 or not len(linears(actor.latent_pi)):
        return "there are not two critics, or the actor has no hidden layer"
    return (
        "" if adam_is_plain(actor.optimizer) and adam_is_plain(critic.optimizer) else "the optimizer is no plain Adam"
    )
