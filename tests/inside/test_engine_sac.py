"""The fast SAC is the library's SAC: the same losses, gradients and parameters, and an ordinary model."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from stable_baselines3 import SAC
from stable_baselines3.common.logger import Logger

from services.trainer.inside.engines.fast_sac import FastSAC
from services.trainer.inside.engines.refusal import DoesNotApply
from tests.inside.engines import ACTIONS, farthest, sac, vector

torch.set_num_threads(1)

SETTINGS = {
    "plain": {},
    "fixed temperature": {"ent_coef": 0.2},
    "temperature from 0.1, other target": {"ent_coef": "auto_0.1", "target_entropy": -0.5},
    "targets every third step": {"target_update_interval": 3, "tau": 0.05},
    "schedule": {"learning_rate": lambda left: 3e-3 * left},
    "tanh": {"policy_kwargs": {"net_arch": [16, 16], "activation_fn": torch.nn.Tanh}},
    "one hidden layer": {"policy_kwargs": {"net_arch": [24]}},
}


class SameNoise(FastSAC):
    """Draws its noise as the library does: from torch, first for the state, then for the one after."""

    def _noise(self, numbers, rows):
        draws = [torch.normal(torch.zeros(rows, numbers), torch.ones(rows, numbers)) for _ in range(2)]
        return np.stack([draw.numpy().T for draw in draws])


def both(**settings):
    """A fast model that has learned for a while, and the library's with the same parameters and the same buffer."""
    fast, plain = sac(True, **settings), sac(False, **settings)
    for model in (fast, plain):
        model.set_logger(Logger(None, []))
    fast.learn(600)
    plain.set_parameters(copy.deepcopy(fast.get_parameters()))
    if fast.log_ent_coef is not None:
        plain.log_ent_coef.data.copy_(fast.log_ent_coef.data)
    plain.replay_buffer = copy.deepcopy(fast.replay_buffer)
    plain._n_updates = fast._n_updates
    for model in (fast, plain):
        model._current_progress_remaining = 0.6
    fast.__class__ = SameNoise
    return fast, plain


def update(model, steps=60, rows=32):
    np.random.seed(11)
    torch.manual_seed(5)
    model.train(steps, rows)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_parameters_equal_the_librarys_after_60_gradient_steps(settings):
    fast, plain = both(**settings)
    update(fast)
    update(plain)
    assert farthest(fast, plain) < 1e-5
    if plain.log_ent_coef is not None:
        assert fast.log_ent_coef.item() == pytest.approx(plain.log_ent_coef.item(), abs=1e-5)
    ours, theirs = fast.logger.name_to_value, plain.logger.name_to_value
    for name, value in theirs.items():
        if name.startswith("train/"):
            assert ours[name] == pytest.approx(value, rel=1e-3, abs=1e-4), name


def test_gradients_equal_torchs():
    fast, plain = both()
    update(fast, 1)
    update(plain, 1)
    for one, other in zip(fast.actor.parameters(), plain.actor.parameters(), strict=True):
        assert np.abs(fast._core.actor_flat.piece(one).gradients[0] - other.grad.numpy()).max() < 1e-5
    # The library's actor step leaves gradients of its own in the critic; those of the critic's step are in Adam's mean.
    for one, other in zip(fast.critic.parameters(), plain.critic.parameters(), strict=True):
        means = [model.critic.optimizer.state[p]["exp_avg"] for model, p in ((fast, one), (plain, other))]
        assert float((means[0] - means[1]).abs().max()) < 1e-5


def test_a_spread_beyond_its_limits_gets_no_gradient():
    fast, _ = both()
    with torch.no_grad():
        fast.actor.log_std.bias.copy_(torch.tensor([5.0, -30.0]))  # the limits are 2 and -20
    update(fast, 1)
    assert not fast._core.actor_flat.piece(fast.actor.log_std.bias).gradients.any()
    assert fast._core.actor_flat.piece(fast.actor.mu.bias).gradients.any()


def test_the_buffer_holds_what_the_librarys_would():
    rows = []

    class Both(FastSAC):
        def _store_transition(self, buffer, action, new_obs, reward, dones, infos):
            before = self._last_obs
            SAC._store_transition(self, other, action, new_obs, reward, dones, infos)
            self._last_obs = before
            super()._store_transition(buffer, action, new_obs, reward, dones, infos)
            rows.extend(infos)

    model = sac(True, learning_starts=2000)
    other = copy.deepcopy(model.replay_buffer)
    model.__class__ = Both
    model.learn(1200)  # once around the buffer
    assert (model.replay_buffer.pos, model.replay_buffer.full) == (other.pos, True)
    for name in ("observations", "next_observations", "actions", "rewards", "dones", "timeouts"):
        assert np.array_equal(getattr(model.replay_buffer, name), getattr(other, name)), name
    assert any(info["TimeLimit.truncated"] for info in rows)
    assert any("terminal_observation" in info and not info["TimeLimit.truncated"] for info in rows)


def test_draws_follow_the_policy():
    model = sac(True)
    model.learn(600)
    model._last_obs = np.repeat(np.float32([[1, -1, 0.5, 0, 0, 2]]), 20_000, axis=0)
    ours, stored = model._sample_action(0, None, 20_000)
    theirs, _ = model.predict(model._last_obs, deterministic=False)
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 0.04
    assert np.abs(ours.std(axis=0) - theirs.std(axis=0)).max() < 0.04
    assert np.abs(model.policy.scale_action(ours) - stored).max() < 1e-5
    assert (np.abs(stored) <= 1).all()


def test_its_best_actions_are_what_the_policy_predicts():
    model = sac(True)
    model.learn(600)
    observations = np.random.default_rng(0).normal(size=(300, 6)).astype(np.float32)
    theirs = model.predict(observations, deterministic=True)[0]
    assert np.allclose(model.best_actions(observations), theirs, atol=1e-5)


def test_what_it_saves_is_an_ordinary_model_with_the_same_policy_to_the_last_bit(tmp_path):
    model = sac(True)
    model.learn(600)
    model.save(tmp_path / "model.zip")
    loaded = SAC.load(tmp_path / "model.zip")
    assert type(loaded) is SAC
    assert farthest(model, loaded) == 0.0
    assert torch.equal(model.log_ent_coef, loaded.log_ent_coef)
    observations = np.random.default_rng(0).normal(size=(200, 6)).astype(np.float32)
    ours, theirs = (one.predict(observations, deterministic=True)[0] for one in (model, loaded))
    assert np.array_equal(ours, theirs)


def test_a_loaded_model_goes_on_as_the_one_that_was_saved(tmp_path):
    fast, plain = both()
    fast.save(tmp_path / "model.zip")
    again = SameNoise.load(tmp_path / "model.zip", env=vector(ACTIONS["box"]))
    loaded = SAC.load(tmp_path / "model.zip", env=vector(ACTIONS["box"]))
    for model in (again, loaded):
        model.set_logger(Logger(None, []))
        model.replay_buffer = copy.deepcopy(fast.replay_buffer)
        model._current_progress_remaining = 0.6
    for model in (fast, plain, again, loaded):
        update(model)
    assert farthest(fast, plain) < 1e-5
    assert farthest(fast, again) == 0.0
    assert farthest(loaded, plain) == 0.0
    assert fast.log_ent_coef.item() == again.log_ent_coef.item()


def test_the_same_seed_gives_the_same_parameters_to_the_bit():
    models = [sac(True).learn(900) for _ in range(2)]
    assert farthest(*models) == 0.0


@pytest.mark.parametrize(
    "settings",
    [
        {"use_sde": True},
        {"policy_kwargs": {"n_critics": 3}},
        {"policy_kwargs": {"activation_fn": torch.nn.ELU}},
    ],
)
def test_what_it_cant_compute_is_refused_with_a_reason(settings):
    with pytest.raises(DoesNotApply, match=r"\w+ \w+"):
        sac(True, **settings)
