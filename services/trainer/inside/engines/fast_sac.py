"""Fast SAC: the library's SAC with acting, replay and gradient steps in NumPy. Same API, same saved model."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3 import SAC
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.noise import ActionNoise
from stable_baselines3.common.type_aliases import RolloutReturn, TrainFreq
from stable_baselines3.common.utils import should_collect_more_steps
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.engines.flat import Flat, Floats
from services.trainer.inside.engines.refusal import Diverged, DoesNotApply
from services.trainer.inside.engines.twin_critics import Step, Transitions, TwinCritics, why_not


class FastSAC(SAC):  # type: ignore[misc]
    """SAC; what it saves, SAC.load reads."""

    _last_obs: Any

    def _setup_model(self) -> None:
        super()._setup_model()
        reason = why_not(self.policy)
        if not reason and (type(self.replay_buffer) is not ReplayBuffer or self.replay_buffer.optimize_memory_usage):
            reason = "it has a replay buffer of its own"
        if not reason and self.action_noise is not None:
            reason = "it adds noise to its actions"
        if reason:
            raise DoesNotApply(reason)
        self._core = TwinCritics(self.policy)
        self._random = np.random.default_rng(self.seed)
        self._log_temperature = None
        if self.ent_coef_optimizer is not None:
            self._log_temperature = Flat([self.log_ent_coef], self.ent_coef_optimizer)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_core", "_random", "_log_temperature"]

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        train_freq: TrainFreq,
        replay_buffer: ReplayBuffer,
        action_noise: ActionNoise | None = None,
        learning_starts: int = 0,
        log_interval: int | None = None,
    ) -> RolloutReturn:
        """The library's, without its walks through all modules and its deep copies."""
        steps = episodes = 0
        callback.on_rollout_start()
        while should_collect_more_steps(train_freq, steps, episodes):
            actions, buffer_actions = self._sample_action(learning_starts, action_noise, env.num_envs)
            new_obs, rewards, dones, infos = env.step(actions)
            self.num_timesteps += env.num_envs
            steps += 1
            callback.update_locals(locals())
            if not callback.on_step():
                return RolloutReturn(steps * env.num_envs, episodes, continue_training=False)
            if dones.any():
                self._update_info_buffer(infos, dones)
            self._store_transition(replay_buffer, buffer_actions, new_obs, rewards, dones, infos)
            self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
            for _ in range(np.count_nonzero(dones)):
                episodes += 1
                self._episode_num += 1
                if log_interval is not None and self._episode_num % log_interval == 0:
                    self.dump_logs()
        callback.on_rollout_end()
        return RolloutReturn(steps * env.num_envs, episodes, continue_training=True)

    def best_actions(self, observations: Any, masks: Any = None) -> Any:
        """As predict(deterministic=True), by the engine's own network; of a batch of observations."""
        self._core.bind()
        return self.policy.unscale_action(self._core.best(np.asarray(observations, np.float32)))

    def train(self, gradient_steps: int, batch_size: int = 64) -> None:
        """As the library's train(), by hand-written gradients."""
        self._core.bind()
        optimizers = [self.actor.optimizer, self.critic.optimizer]
        if self._log_temperature is not None:
            self._log_temperature.bind()
            optimizers.append(self.ent_coef_optimizer)
        self._update_learning_rate(optimizers)
        numbers = self.action_space.shape[0]
        steps = []
        for number in range(gradient_steps):
            batch = self._batch(batch_size)
            now, after = self._noise(numbers, batch_size)
            steps.append(self._step(batch, now, after))
            if number % self.target_update_interval == 0:
                self._core.follow(self.tau)
        self._n_updates += gradient_steps
        if not (self._core.actor_flat.finite() and self._core.critic_flat.finite()):
            raise Diverged(self.num_timesteps, self._core.actor_flat.rate)
        self._log(steps)

    def _step(self, batch: Transitions, now: Floats, after: Floats) -> Step:
        """One gradient step; now, after: the noise of the actions in the state and in the one after."""
        core = self._core
        temperature, loss = self._temperature(), 0.0
        critic = core.learn_critics(batch, after, temperature, self.gamma)
        scores = core.score(batch.observations, now)
        if self._log_temperature is not None:
            off = float(scores.mean()) + self.target_entropy
            loss = -float(self._log_temperature.values[0]) * off
            self._log_temperature.gradients[0] = -off
            self._log_temperature.adam()
        core.critic_flat.adam()
        actor = core.learn_actor(batch.observations, scores, temperature)
        core.actor_flat.adam()
        return Step(actor, critic, temperature, loss)

    def _temperature(self) -> float:
        if self._log_temperature is None:
            return float(self.ent_coef_tensor)
        return float(np.exp(self._log_temperature.values[0]))

    def _noise(self, numbers: int, rows: int) -> Floats:
        """(2, numbers, rows): for the actions in the state and in the one after."""
        return self._random.standard_normal((2, numbers, rows), dtype=np.float32)

    def _batch(self, rows: int) -> Transitions:
        """The library's draw of rows, from the same global stream."""
        buffer = self.replay_buffer
        moments = np.random.randint(0, buffer.buffer_size if buffer.full else buffer.pos, size=rows)
        at = moments * buffer.n_envs + np.random.randint(0, high=buffer.n_envs, size=rows)
        observations, after, actions = (
            np.asarray(part.reshape(-1, part.shape[2]).take(at, axis=0), np.float32).T
            for part in (buffer.observations, buffer.next_observations, buffer.actions)
        )
        goes_on = 1.0 - buffer.dones.take(at) * (1.0 - buffer.timeouts.take(at))
        return Transitions(observations, actions, after, buffer.rewards.take(at), goes_on)

    def _sample_action(
        self, learning_starts: int, action_noise: ActionNoise | None = None, n_envs: int = 1
    ) -> tuple[Any, Any]:
        if self.num_timesteps < learning_starts:
            sampled: tuple[Any, Any] = super()._sample_action(learning_starts, action_noise, n_envs)
            return sampled
        noise = self._random.standard_normal((self.action_space.shape[0], n_envs), dtype=np.float32)
        squashed = self._core.act(np.asarray(self._last_obs, np.float32), noise)
        return self.policy.unscale_action(squashed), squashed

    def _store_transition(
        self,
        replay_buffer: ReplayBuffer,
        buffer_action: Any,
        new_obs: Any,
        reward: Any,
        dones: Any,
        infos: list[dict[str, Any]],
    ) -> None:
        if self._vec_normalize_env is not None:
            super()._store_transition(replay_buffer, buffer_action, new_obs, reward, dones, infos)
            return
        at = replay_buffer.pos
        replay_buffer.observations[at] = self._last_obs
        replay_buffer.next_observations[at] = new_obs
        replay_buffer.actions[at] = buffer_action
        replay_buffer.rewards[at] = reward
        replay_buffer.dones[at] = dones
        replay_buffer.timeouts[at] = 0.0
        for i in np.flatnonzero(dones):
            if infos[i].get("terminal_observation") is not None:
                replay_buffer.next_observations[at, i] = infos[i]["terminal_observation"]
            replay_buffer.timeouts[at, i] = infos[i].get("TimeLimit.truncated", False)
        replay_buffer.pos = (at + 1) % replay_buffer.buffer_size
        replay_buffer.full = replay_buffer.full or replay_buffer.pos == 0
        self._last_obs = new_obs

    def _log(self, steps: list[Step]) -> None:
        record = self.logger.record
        record("train/n_updates", self._n_updates, exclude="tensorboard")
        record("train/ent_coef", sum(step.temperature for step in steps) / len(steps))
        record("train/actor_loss", sum(step.actor for step in steps) / len(steps))
        record("train/critic_loss", sum(step.critic for step in steps) / len(steps))
        if self._log_temperature is not None:
            record("train/ent_coef_loss", sum(step.temperature_loss for step in steps) / len(steps))
