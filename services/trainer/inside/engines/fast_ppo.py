"""Fast PPO: the library's PPO and MaskablePPO with acting, returns and updates in NumPy. Same API, same saved model."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.engines.actor_critic import ActorCritic, Batch, Losses, Weights, why_not
from services.trainer.inside.engines.flat import Floats
from services.trainer.inside.engines.refusal import Diverged, DoesNotApply

FLATTENED = ("observations", "actions", "values", "log_probs", "advantages", "returns")


class _Fast(OnPolicyAlgorithm):  # type: ignore[misc]
    """What both have in common; mixed in before the library's class, whose learn() calls these."""

    _last_obs: Any
    _last_episode_starts: Any
    masked = False
    buffer_class: type[RolloutBuffer] = RolloutBuffer

    def _setup_model(self) -> None:
        super()._setup_model()
        reason = why_not(self.policy)
        if not reason and (self.use_sde or type(self.rollout_buffer) is not self.buffer_class):
            reason = "it explores by state or has a rollout buffer of its own"
        if reason:
            raise DoesNotApply(reason)
        self._core = ActorCritic(self.policy)
        self._random = np.random.default_rng(self.seed)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_core", "_random"]

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = False,
    ) -> bool:
        """Acts step by step; values, scores and bootstraps wait for the end and are computed at once."""
        self.policy.set_training_mode(False)
        self._core.flat.bind()
        rollout_buffer.reset()
        callback.on_rollout_start()
        noise = self._core.family.noise(self._random, n_rollout_steps, env.num_envs)
        bounds = (self.action_space.low, self.action_space.high) if isinstance(self.action_space, spaces.Box) else None
        masks = None
        cut_at: list[tuple[int, int]] = []
        cut_observations: list[Floats] = []

        for step in range(n_rollout_steps):
            observations = np.asarray(self._last_obs, np.float32)
            if use_masking:
                masks = np.asarray(get_action_masks(env), bool).reshape(env.num_envs, -1)
                rollout_buffer.action_masks[step] = masks
            actions = self._core.act(observations, noise[step], masks)
            rollout_buffer.observations[step] = self._last_obs
            rollout_buffer.actions[step] = actions
            rollout_buffer.episode_starts[step] = self._last_episode_starts
            clipped_actions = self._for_env(actions, bounds)

            new_obs, rewards, dones, infos = env.step(clipped_actions)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            if dones.any():
                self._update_info_buffer(infos, dones)

            rollout_buffer.rewards[step] = rewards
            for i in np.flatnonzero(dones):
                if infos[i].get("TimeLimit.truncated", False) and infos[i].get("terminal_observation") is not None:
                    cut_at.append((step, int(i)))
                    cut_observations.append(infos[i]["terminal_observation"])
            self._last_obs, self._last_episode_starts = new_obs, dones

        self._finish(rollout_buffer, dones, cut_at, cut_observations)
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def best_actions(self, observations: Any, masks: Any = None) -> Any:
        """As predict(deterministic=True), by the engine's own network; of a batch of observations."""
        self._core.flat.bind()
        bounds = (self.action_space.low, self.action_space.high) if isinstance(self.action_space, spaces.Box) else None
        legal = None if masks is None else np.asarray(masks, bool).reshape(len(observations), -1)
        return self._for_env(self._core.best(np.asarray(observations, np.float32), legal).copy(), bounds)

    def train(self) -> None:
        """As the library's train(), by hand-written gradients."""
        self.policy.set_training_mode(True)
        self._core.flat.bind()
        self._update_learning_rate(self.policy.optimizer)
        clip = self.clip_range(self._current_progress_remaining)
        clip_values = None if self.clip_range_vf is None else self.clip_range_vf(self._current_progress_remaining)
        weights = Weights(clip, clip_values, self.ent_coef, self.vf_coef, self.normalize_advantage)
        flatten(self.rollout_buffer, self.masked)

        most = np.inf if self.target_kl is None else 1.5 * self.target_kl
        seen: list[Losses] = []
        for _ in range(self.n_epochs):
            latest = self._epoch(weights, most)
            seen += latest
            self._n_updates += 1
            if latest[-1].divergence > most:
                break
        if not self._core.flat.finite():
            raise Diverged(self.num_timesteps, self._core.flat.rate)
        self._log(seen, latest, weights)

    def _epoch(self, weights: Weights, most: float) -> list[Losses]:
        """One pass over the rollout; ends without a step at the batch that diverges by more than `most`."""
        seen = []
        for batch in self._batches(self.rollout_buffer):
            seen.append(losses := self._core.losses(batch, weights))
            if losses.divergence > most:
                break
            self._core.gradients()
            self._core.flat.clip(self.max_grad_norm)
            self._core.flat.adam()
        return seen

    def _for_env(self, actions: Any, bounds: tuple[Floats, Floats] | None) -> Any:
        if bounds is not None:
            return np.clip(actions, *bounds)
        return actions[:, 0] if isinstance(self.action_space, spaces.Discrete) else actions

    def _finish(
        self, buffer: RolloutBuffer, dones: Any, cut_at: list[tuple[int, int]], cut_observations: list[Floats]
    ) -> None:
        steps, envs = buffer.rewards.shape
        observations = buffer.observations.reshape(steps * envs, -1)
        masks = buffer.action_masks.reshape(steps * envs, -1) > 0.5 if self.masked else None
        values, scores = self._core.evaluate(
            np.asarray(observations, np.float32), buffer.actions.reshape(steps * envs, -1), masks
        )
        buffer.values[:], buffer.log_probs[:] = values.reshape(steps, envs), scores.reshape(steps, envs)
        if cut_at:
            at, which = np.array(cut_at).T
            buffer.rewards[at, which] += self.gamma * self._core.values(np.array(cut_observations, np.float32))
        last_values = self._core.values(np.asarray(self._last_obs, np.float32))
        advantages(buffer, last_values, dones, self.gamma, self.gae_lambda)
        buffer.pos, buffer.full = steps, True

    def _batches(self, buffer: RolloutBuffer) -> Any:
        """One epoch: the library's permutation of the rows, from the same global stream."""
        order = np.random.permutation(buffer.buffer_size * buffer.n_envs)
        observations = np.asarray(buffer.observations[order], np.float32)
        actions = self._core.family.columns(buffer.actions[order])
        masks = buffer.action_masks[order].T > 0.5 if self.masked else None
        scores, values, gains, returns = (
            getattr(buffer, name)[order, 0] for name in ("log_probs", "values", "advantages", "returns")
        )
        for start in range(0, len(order), self.batch_size):
            part = slice(start, start + self.batch_size)
            yield Batch(
                observations[part].T,
                actions[:, part],
                None if masks is None else masks[:, part],
                scores[part],
                values[part],
                gains[part],
                returns[part],
            )

    def _log(self, seen: list[Losses], latest: list[Losses], weights: Weights) -> None:
        buffer = self.rollout_buffer
        record = self.logger.record
        record("train/entropy_loss", np.mean([losses.entropy for losses in seen]))
        record("train/policy_gradient_loss", np.mean([losses.policy for losses in seen]))
        record("train/value_loss", np.mean([losses.value for losses in seen]))
        record("train/approx_kl", np.mean([losses.divergence for losses in latest]))
        record("train/clip_fraction", np.mean([losses.clipped for losses in seen]))
        record("train/loss", latest[-1].total)
        record("train/explained_variance", explained_variance(buffer.values.flatten(), buffer.returns.flatten()))
        if hasattr(self.policy, "log_std"):
            record("train/std", self.policy.log_std.exp().mean().item())
        record("train/n_updates", self._n_updates, exclude="tensorboard")
        record("train/clip_range", weights.clip)
        if weights.clip_values is not None:
            record("train/clip_range_vf", weights.clip_values)


class FastPPO(_Fast, PPO):  # type: ignore[misc]
    """PPO; what it saves, PPO.load reads."""


class FastMaskablePPO(_Fast, MaskablePPO):  # type: ignore[misc]
    """MaskablePPO; what it saves, MaskablePPO.load reads."""

    masked = True
    buffer_class = MaskableRolloutBuffer


def advantages(buffer: RolloutBuffer, last_values: Floats, dones: Any, gamma: float, gae_lambda: float) -> None:
    """GAE into the buffer: all that doesn't depend on the step after is computed at once."""
    goes_on = np.empty_like(buffer.rewards)
    goes_on[:-1] = 1.0 - buffer.episode_starts[1:]
    goes_on[-1] = 1.0 - np.asarray(dones, np.float32)
    after = np.empty_like(buffer.values)
    after[:-1], after[-1] = buffer.values[1:], last_values
    gains = buffer.rewards + np.float32(gamma) * after * goes_on - buffer.values
    goes_on *= np.float32(gamma * gae_lambda)
    for step in range(len(gains) - 2, -1, -1):
        gains[step] += goes_on[step] * gains[step + 1]
    buffer.advantages = gains
    buffer.returns = gains + buffer.values


def flatten(buffer: RolloutBuffer, masked: bool) -> None:
    """As the buffer's own get() does before its first batch."""
    if buffer.generator_ready:
        return
    for name in (*FLATTENED, "action_masks") if masked else FLATTENED:
        setattr(buffer, name, buffer.swap_and_flatten(getattr(buffer, name)))
    buffer.generator_ready = True
