"""ActorCritic: PPO's policy and value networks in NumPy, on the parameters of the library's own policy object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from torch import nn

from services.trainer.inside.engines.families import Actions, Choices, Family, Masks, Numbers, Switches, widths
from services.trainer.inside.engines.flat import Flat, Floats, adam_is_plain
from services.trainer.inside.engines.nets import Mlp, in_order, linears, plain, side_by_side

AT_ONCE = 4096  # rows computed together, so that their blocks stay in the cache


@dataclass(frozen=True)
class Batch:
    """Rows to learn from: observations (features, rows), actions (terms, rows), the rest (rows,)."""

    observations: Floats
    actions: Actions
    masks: Masks | None
    old_scores: Floats
    old_values: Floats
    advantages: Floats
    returns: Floats


@dataclass(frozen=True)
class Weights:
    """How PPO weighs its losses in this update."""

    clip: float
    clip_values: float | None
    entropy: float
    values: float
    normalize: bool


@dataclass(frozen=True)
class Losses:
    """Of one batch, as the library logs them."""

    policy: float
    value: float
    entropy: float
    total: float
    clipped: float
    divergence: float


class ActorCritic:
    """Both trunks are computed as copies of one network; then each has its head."""

    def __init__(self, policy: ActorCriticPolicy) -> None:
        extractor = policy.mlp_extractor
        trunks = [linears(extractor.policy_net), linears(extractor.value_net)]
        heads = [policy.action_net, policy.value_net]
        parameters = in_order(trunks) + [p for head in heads for p in (head.weight, head.bias)]
        if isinstance(policy.action_space, spaces.Box):
            parameters.append(policy.log_std)
        self.flat = Flat(parameters, policy.optimizer)
        self._trunks = Mlp(side_by_side(self.flat, trunks), policy.activation_fn, to_the_end=True)
        self._actor, self._critic = (
            Mlp(side_by_side(self.flat, [[head]]), policy.activation_fn, to_the_end=False) for head in heads
        )
        self.family = self._family(policy)
        self._hidden_slopes: dict[int, Floats] = {}

    def act(self, observations: Floats, noise: Floats, masks: Masks | None) -> Actions:
        """(rows, terms) from (rows, features)."""
        hidden = self._trunks.forward(observations.T)
        return self.family.sample(self._actor.forward(hidden[:1])[0], noise, None if masks is None else masks.T)

    def best(self, observations: Floats, masks: Masks | None) -> Actions:
        """The likeliest actions, (rows, terms)."""
        hidden = self._trunks.forward(observations.T)
        return self.family.best(self._actor.forward(hidden[:1])[0], None if masks is None else masks.T)

    def values(self, observations: Floats) -> Floats:
        """Of any number of rows; computed in blocks whose sizes are powers of two, so that few are ever kept."""
        values = np.empty(len(observations), np.float32)
        for start in range(0, len(observations), AT_ONCE):
            part = observations[start : start + AT_ONCE]
            padded = np.zeros((1 << (len(part) - 1).bit_length(), part.shape[1]), np.float32)
            padded[: len(part)] = part
            hidden = self._trunks.forward(padded.T)
            values[start : start + len(part)] = self._critic.forward(hidden[1:])[0, 0, : len(part)]
        return values

    def evaluate(self, observations: Floats, actions: Actions, masks: Masks | None) -> tuple[Floats, Floats]:
        """Values and scores of rows, whatever their number."""
        values, scores = np.empty((2, len(observations)), np.float32)
        for start in range(0, len(observations), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            hidden = self._trunks.forward(observations[part].T)
            legal = None if masks is None else masks[part].T
            outputs = self._actor.forward(hidden[:1])[0]
            scores[part] = self.family.score(outputs, self.family.columns(actions[part]), legal)[0]
            values[part] = self._critic.forward(hidden[1:])[0, 0]
        return values, scores

    def losses(self, batch: Batch, weights: Weights) -> Losses:
        """PPO's losses on one batch, forward; gradients() follows."""
        hidden = self._trunks.forward(batch.observations)
        outputs = self._actor.forward(hidden[:1])[0]
        values = self._critic.forward(hidden[1:])[0, 0]
        scores, entropies = self.family.score(outputs, batch.actions, batch.masks)
        rows = len(values)

        advantages = batch.advantages
        if weights.normalize and rows > 1:
            advantages = advantages - mean(advantages)
            spread = np.sqrt(np.dot(advantages, advantages) / np.float32(rows - 1))
            advantages /= spread + np.float32(1e-8)
        log_ratio = scores - batch.old_scores
        ratio = np.exp(log_ratio)
        gains = advantages * ratio
        clipped_gains = advantages * np.minimum(np.maximum(ratio, 1 - weights.clip), 1 + weights.clip)
        policy_loss = -mean(np.minimum(gains, clipped_gains))

        off = values - batch.old_values
        predicted = values
        if weights.clip_values is not None:
            predicted = batch.old_values + np.clip(off, -weights.clip_values, weights.clip_values)
        missed = predicted - batch.returns
        value_loss = float(np.dot(missed, missed)) / rows
        entropy_loss = -mean(entropies)

        # The slopes of the total loss; where a clip holds, there is none.
        self._by_score = np.where(gains <= clipped_gains, gains, np.float32(0.0)) * np.float32(-1.0 / rows)
        self._by_value = missed * np.float32(2.0 * weights.values / rows)
        if weights.clip_values is not None:
            self._by_value *= np.abs(off) <= weights.clip_values
        self._by_entropy = -weights.entropy / rows
        return Losses(
            policy_loss,
            value_loss,
            entropy_loss,
            policy_loss + weights.entropy * entropy_loss + weights.values * value_loss,
            np.count_nonzero(np.abs(ratio - 1) > weights.clip) / rows,
            mean(ratio) - 1.0 - mean(log_ratio),
        )

    def gradients(self) -> None:
        """Into flat.gradients, those of the latest losses()."""
        rows = len(self._by_value)
        if rows not in self._hidden_slopes:
            width = self._trunks.width
            self._hidden_slopes[rows] = np.empty((2, width, rows), np.float32)
        slopes = self._hidden_slopes[rows]
        self._actor.backward(self.family.slope(self._by_score, self._by_entropy)[None], to_inputs=slopes[:1])
        self._critic.backward(self._by_value[None, None], to_inputs=slopes[1:])
        self._trunks.backward(slopes)

    def _family(self, policy: ActorCriticPolicy) -> Family:
        match policy.action_space:
            case spaces.Box():
                return Numbers(self.flat.piece(policy.log_std))
            case spaces.MultiBinary():
                return Switches(int(policy.action_space.n))
            case _:
                return Choices(widths(policy.action_space))


def mean(row: Floats) -> float:
    """ndarray.mean() costs more than the sum of a batch."""
    return float(np.add.reduce(row)) / len(row)


def why_not(policy: ActorCriticPolicy) -> str:
    """Why this policy can't be computed here, in a clause; empty where it can."""
    observed, acted = policy.observation_space, policy.action_space
    if type(policy) not in (ActorCriticPolicy, MaskableActorCriticPolicy):
        return f"the policy is a {type(policy).__name__}"
    if not isinstance(observed, spaces.Box) or len(observed.shape) != 1:
        return "observations are not a vector"
    if type(policy.features_extractor) is not FlattenExtractor or policy.device != torch.device("cpu"):
        return "the policy has a features extractor of its own, or is not on the CPU"
    if isinstance(acted, spaces.MultiDiscrete) and len(acted.shape) != 1:
        return "actions are a table of choices"
    if isinstance(acted, spaces.MultiBinary) and (len(acted.shape) != 1 or type(policy) is MaskableActorCriticPolicy):
        return "switches are a table or have masks"
    if isinstance(acted, spaces.Box) and (len(acted.shape) != 1 or policy.use_sde or policy.squash_output):
        return "actions are a table of numbers, or explore by state"
    nets = policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net
    if policy.activation_fn not in (nn.Tanh, nn.ReLU) or not all(plain(net, policy.activation_fn) for net in nets):
        return "the networks are no plain Tanh or ReLU networks"
    if [layer.weight.shape for layer in linears(nets[0])] != [layer.weight.shape for layer in linears(nets[1])]:
        return "policy and value network differ in shape"
    return "" if adam_is_plain(policy.optimizer) else "the optimizer is no plain Adam"
