"""The fast PPO is the library's PPO: the same losses, gradients and parameters, and an ordinary model."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from services.trainer.inside.engines.actor_critic import Weights
from services.trainer.inside.engines.fast_ppo import FastPPO, advantages, flatten
from services.trainer.inside.engines.refusal import DoesNotApply
from tests.inside.engines import ACTIONS, farthest, ppo, vector

torch.set_num_threads(1)

SETTINGS = {
    "plain": {},
    "entropy": {"ent_coef": 0.02},
    "values clipped": {"clip_range_vf": 0.05, "ent_coef": 0.01},
    "no normalizing": {"normalize_advantage": False, "max_grad_norm": 0.05},
    "stopped by divergence": {"target_kl": 0.003, "learning_rate": 3e-3},
    "schedules": {"learning_rate": lambda left: 2e-3 * left, "clip_range": lambda left: 0.3 * left},
    "one row left over": {"batch_size": 51},
    "relu": {"policy_kwargs": {"net_arch": [16, 16], "activation_fn": torch.nn.ReLU}},
}


def both(family, **settings):
    """A fast model with one rollout taken, and the library's with the same parameters and the same rollout."""
    fast, plain = ppo(family, True, **settings), ppo(family, False, **settings)
    for model in (fast, plain):
        model.set_logger(Logger(None, []))
    fast.learn(1)  # a rollout and an update: Adam is under way
    _, callback = fast._setup_learn(64 * 4 * 3, reset_num_timesteps=False)
    fast.collect_rollouts(fast.env, callback, fast.rollout_buffer, 64, fast.masked)
    plain.set_parameters(copy.deepcopy(fast.get_parameters()))
    plain.rollout_buffer = copy.deepcopy(fast.rollout_buffer)
    plain._n_updates = fast._n_updates
    for model in (fast, plain):
        model._current_progress_remaining = 0.6
    return fast, plain


def update(model):
    np.random.seed(11)
    model.train()


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("family", ACTIONS)
def test_parameters_equal_the_librarys_after_an_update_of_more_than_50_batches(family, settings):
    if family.startswith("masked") and "batch_size" in settings:
        settings = {}  # the library divides 0 by 0 there
    fast, plain = both(family, **settings)
    update(fast)
    update(plain)
    assert farthest(fast, plain) < 1e-5
    ours, theirs = fast.logger.name_to_value, plain.logger.name_to_value
    assert set(theirs) - set(ours) == set()
    for name, value in theirs.items():
        if name.startswith("train/"):
            assert ours[name] == pytest.approx(value, rel=2e-3, abs=1e-5), name


@pytest.mark.parametrize("family", ACTIONS)
def test_gradients_equal_torchs(family):
    fast, plain = both(family, ent_coef=0.03, clip_range_vf=0.1)
    np.random.seed(2)
    plain_batch = next(plain.rollout_buffer.get(50))
    actions = plain_batch.actions.long().flatten() if family.endswith("discrete") and "multi" not in family else None
    legal = {"action_masks": plain_batch.action_masks} if fast.masked else {}
    values, scores, entropy = plain.policy.evaluate_actions(
        plain_batch.observations, plain_batch.actions if actions is None else actions, **legal
    )
    gains = plain_batch.advantages
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    ratio = torch.exp(scores - plain_batch.old_log_prob)
    policy_loss = -torch.min(gains * ratio, gains * torch.clamp(ratio, 0.8, 1.2)).mean()
    predicted = plain_batch.old_values + torch.clamp(values.flatten() - plain_batch.old_values, -0.1, 0.1)
    value_loss = torch.nn.functional.mse_loss(plain_batch.returns, predicted)
    (policy_loss - 0.03 * entropy.mean() + 0.5 * value_loss).backward()

    flatten(fast.rollout_buffer, fast.masked)
    np.random.seed(2)
    losses = fast._core.losses(next(fast._batches(fast.rollout_buffer)), Weights(0.2, 0.1, 0.03, 0.5, True))
    fast._core.gradients()
    assert losses.policy == pytest.approx(policy_loss.item(), abs=1e-5)
    assert losses.value == pytest.approx(value_loss.item(), rel=1e-5)
    assert losses.entropy == pytest.approx(-entropy.mean().item(), rel=1e-5)
    for ours, theirs in zip(fast.policy.parameters(), plain.policy.parameters(), strict=True):
        piece = fast._core.flat.piece(ours).gradients[0]
        assert np.abs(piece - theirs.grad.numpy()).max() < 1e-5


def test_scores_and_values_of_a_rollout_are_the_policys():
    fast, plain = both("multi_discrete")
    buffer = fast.rollout_buffer
    observations = torch.as_tensor(buffer.observations.reshape(256, -1))
    values, scores, _ = plain.policy.evaluate_actions(observations, torch.as_tensor(buffer.actions.reshape(256, -1)))
    assert np.abs(values.detach().numpy().ravel() - buffer.values.ravel()).max() < 1e-5
    assert np.abs(scores.detach().numpy() - buffer.log_probs.ravel()).max() < 1e-5


def test_values_of_any_number_of_rows_need_few_blocks():
    model = ppo("discrete", True)
    observations = np.random.default_rng(1).normal(size=(5000, 6)).astype(np.float32)
    for rows in (1, 2, 3, *range(200, 260), 4096, 5000):
        expected = model.policy.predict_values(torch.as_tensor(observations[:rows])).detach().numpy().ravel()
        assert np.abs(model._core.values(observations[:rows]) - expected).max() < 1e-5
    assert len(model._core._critic._blocks) <= 7


def test_advantages_worked_out_by_hand():
    buffer = RolloutBuffer(3, ppo("discrete", True).observation_space, ACTIONS["discrete"], n_envs=2)
    buffer.rewards[:] = [[1, 0], [2, 0], [3, 1]]
    buffer.values[:] = [[0.5, 1], [1, 1], [1.5, 1]]
    buffer.episode_starts[:] = [[1, 0], [0, 1], [0, 0]]  # the second environment's episode ended with the first step
    advantages(buffer, np.float32([2, 7]), np.array([False, True]), gamma=0.5, gae_lambda=0.5)
    # First: 3 + .5*2 - 1.5 = 2.5; 2 + .5*1.5 - 1 = 1.75, + .25*2.5 = 2.375; 1 + .5*1 - .5 = 1, + .25*2.375 = 1.59375.
    # Second: ended, so 1 - 1 = 0; 0 + .5*1 - 1 = -.5, + .25*0 = -.5; ended, so 0 - 1 = -1.
    assert buffer.advantages.tolist() == [[1.59375, -1.0], [2.375, -0.5], [2.5, 0.0]]
    assert buffer.returns.tolist() == [[2.09375, 0.0], [3.375, 0.5], [4.0, 1.0]]


@pytest.mark.parametrize("family", ["discrete", "box", "masked_discrete"])
def test_a_cut_off_episode_is_worth_what_the_state_it_was_cut_at_is_worth(family):
    seen = []

    class Watch(BaseCallback):
        def _on_step(self):
            done = zip(self.locals["infos"], self.locals["rewards"], self.locals["dones"], strict=True)
            seen.append([(dict(info), float(reward)) for info, reward, _ in done])
            return True

        def _on_rollout_end(self):
            self.rewards = self.model.rollout_buffer.rewards.copy()
            self.values = lambda o: self.model.policy.predict_values(torch.as_tensor(o)[None]).item()
            for step, row in enumerate(seen):
                for env, (info, reward) in enumerate(row):
                    cut = info["TimeLimit.truncated"]
                    worth = 0.97 * self.values(info["terminal_observation"]) if cut else 0.0
                    assert self.rewards[step, env] == pytest.approx(reward + worth, abs=1e-5)

    ppo(family, True).learn(256, callback=Watch())
    assert any(info["TimeLimit.truncated"] for row in seen for info, _ in row)


@pytest.mark.parametrize("family", ACTIONS)
def test_draws_follow_the_policys_chances(family):
    model = ppo(family, True)
    with torch.no_grad():
        model.policy.action_net.bias.copy_(torch.linspace(-1, 1, len(model.policy.action_net.bias)))
    observations = np.repeat(np.float32([[1, -1, 0.5, 0, 0, 2]]), 20_000, axis=0)
    core = model._core
    noise = core.family.noise(np.random.default_rng(1), 1, len(observations))[0]
    masks = None
    if model.masked:
        masks = np.ones((len(observations), len(model.policy.action_net.bias)), bool)
        masks[:, 0] = False
    ours = core.act(observations, noise, masks)
    torch.manual_seed(1)
    legal = {"action_masks": masks} if model.masked else {}
    theirs = model.policy(torch.as_tensor(observations), **legal)[0].detach().numpy().reshape(len(observations), -1)
    for term in range(ours.shape[1]):
        if family == "box":
            assert ours[:, term].mean() == pytest.approx(theirs[:, term].mean(), abs=0.03)
            assert ours[:, term].std() == pytest.approx(theirs[:, term].std(), abs=0.03)
        else:
            counts = [np.bincount(chosen[:, term].astype(int), minlength=11) for chosen in (ours, theirs)]
            assert np.abs(counts[0] - counts[1]).max() / len(observations) < 0.02
    if model.masked:
        assert (ours[:, 0] > 0).all()


@pytest.mark.parametrize("family", ACTIONS)
def test_its_best_actions_are_what_the_policy_predicts(family):
    model = ppo(family, True)
    model.learn(300)
    observations = np.random.default_rng(0).normal(size=(300, 6)).astype(np.float32)
    masks = legal = None
    if model.masked:
        masks = np.random.default_rng(1).random((300, len(model.policy.action_net.bias))) < 0.7
        masks[:, [1, -2]] = True
        legal = {"action_masks": masks}
    theirs = model.predict(observations, deterministic=True, **(legal or {}))[0]
    assert np.allclose(model.best_actions(observations, masks), theirs, atol=1e-5)


@pytest.mark.parametrize("family", ACTIONS)
def test_what_it_saves_is_an_ordinary_model_with_the_same_policy_to_the_last_bit(family, tmp_path):
    model = ppo(family, True)
    model.learn(600)
    model.save(tmp_path / "model.zip")
    loaded = (MaskablePPO if model.masked else PPO).load(tmp_path / "model.zip")
    assert type(loaded) in (PPO, MaskablePPO)
    for ours, theirs in zip(model.policy.parameters(), loaded.policy.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    observations = np.random.default_rng(0).normal(size=(200, 6)).astype(np.float32)
    assert np.array_equal(
        model.predict(observations, deterministic=True)[0], loaded.predict(observations, deterministic=True)[0]
    )


def test_a_loaded_model_goes_on_as_the_one_that_was_saved(tmp_path):
    fast, plain = both("multi_discrete")
    fast.save(tmp_path / "model.zip")
    again = FastPPO.load(tmp_path / "model.zip", env=vector(ACTIONS["multi_discrete"]))
    loaded = PPO.load(tmp_path / "model.zip", env=vector(ACTIONS["multi_discrete"]))
    for model in (again, loaded):
        model.set_logger(Logger(None, []))
        model.rollout_buffer = copy.deepcopy(fast.rollout_buffer)
        model._current_progress_remaining = 0.6
    for model in (fast, plain, again, loaded):
        update(model)
    assert farthest(fast, plain) < 1e-5
    assert farthest(fast, again) == 0.0
    assert farthest(loaded, plain) == 0.0


@pytest.mark.parametrize("family", ["multi_discrete", "box", "masked_discrete"])
def test_the_same_seed_gives_the_same_parameters_to_the_bit(family):
    models = [ppo(family, True).learn(1500) for _ in range(2)]
    assert farthest(*models) == 0.0


def test_setting_parameters_takes_effect_in_acting_and_learning():
    fast, plain = both("discrete")
    kept = copy.deepcopy(fast.get_parameters())
    update(fast)
    fast.set_parameters(kept)
    update(fast)
    update(plain)
    assert farthest(fast, plain) < 1e-5


@pytest.mark.parametrize(
    "settings",
    [
        {"policy_kwargs": {"net_arch": {"pi": [16], "vf": [8]}}},
        {"policy_kwargs": {"activation_fn": torch.nn.ELU}},
        {"policy_kwargs": {"optimizer_class": torch.optim.SGD}},
    ],
)
def test_what_it_cant_compute_is_refused_with_a_reason(settings):
    with pytest.raises(DoesNotApply, match=r"\w+ \w+"):
        ppo("discrete", True, **settings)
