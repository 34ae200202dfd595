"""Resuming: a fresh box goes on where a checkpoint stopped, and shows that it has all that the other box had."""

from __future__ import annotations

import pickle
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.save_util import load_from_zip_file

from services.trainer.inside import underway
from services.trainer.inside.checkpoints import ABOUT, COUNTERS, EPISODES, STATE, About, Scene
from services.trainer.inside.fingerprints import fingerprint, replayed, variables
from services.trainer.inside.payloads import SEEDS, TRAINING_SEED, Resumed


class CantResume(Exception):
    """Nothing can be made of this checkpoint, so that the training has to begin anew; the message is a clause."""


def resume(path: Path, model: BaseAlgorithm, scene: Scene) -> Resumed:
    """Make of a model and a scene that are new what they were at the checkpoint.

    CantResume: they are neither new nor as they were then. A checkpoint holds pickles, and a candidate ran where it
    was written: only in a box, which is thrown away, is it ever read.
    """
    try:
        return _resume(path, model, scene)
    except CantResume:
        raise
    except MemoryError:
        raise
    except Exception as problem:
        raise CantResume(f"it can't be read: {type(problem).__name__}: {str(problem)[:200]}") from problem


def _resume(path: Path, model: BaseAlgorithm, scene: Scene) -> Resumed:
    with zipfile.ZipFile(path) as archive:
        if ABOUT not in archive.namelist():
            raise CantResume("it holds the model only")
        about = About.model_validate_json(archive.read(ABOUT))
        if about.kind != scene.kind:
            raise CantResume(f"it is of another training: {about.kind}")
        with archive.open(STATE) as file:
            state = pickle.load(file)
        episodes = archive.read(EPISODES)

    _load_model(path, model, state)
    for name, part in scene.parts.items():
        part.take_up(state["parts"][name])
    _write_logs(scene, state)
    if episodes:
        underway.take_up(scene.venv, episodes)
    else:
        _begin_episodes(model)
    _set_chance(model, state["chance"])

    found = Resumed(before=about.fingerprint, after=fingerprint(model), episodes_went_on=bool(episodes))
    if found.after != found.before:
        raise CantResume("what was read is not what was written")
    return found


def _load_model(path: Path, model: BaseAlgorithm, state: dict[str, Any]) -> None:
    _, parameters, tensors = load_from_zip_file(path, load_data=False, device="cpu")
    model.set_parameters(parameters, exact_match=True, device="cpu")
    for name, tensor in variables(model).items():
        tensor.data = (tensors or {})[name].data
    for name in COUNTERS:
        if name in state["counters"]:
            setattr(model, name, state["counters"][name])
    if state["buffer"] is not None:
        _fill(model.replay_buffer, *state["buffer"])


def _fill(buffer: ReplayBuffer, rows: dict[str, Any], pos: int, full: bool) -> None:
    buffer.pos, buffer.full = pos, full

    def copy(into: Any, found: Any) -> None:
        if isinstance(into, dict):
            for name, part in into.items():
                copy(part, found[name])
        else:
            into[:] = found

    copy(replayed(buffer), rows)


def _write_logs(scene: Scene, state: dict[str, Any]) -> None:
    (scene.monitors / "before.monitor.csv").write_text(state["monitors"])
    (scene.events / "events.out.tfevents.0.before").write_bytes(state["events"])


def _begin_episodes(model: BaseAlgorithm) -> None:
    """Of environments that could not be kept, with seeds that no training has begun with."""
    venv = model.get_env()
    assert venv is not None
    venv.seed(TRAINING_SEED + (SEEDS * (model.seed or 0) + SEEDS // 2) % 2**31)
    model._last_obs = venv.reset()
    model._last_episode_starts = np.ones(venv.num_envs, bool)


def _set_chance(model: BaseAlgorithm, chance: dict[str, Any]) -> None:
    random.setstate(chance["python"])
    np.random.set_state(chance["numpy"])
    torch.set_rng_state(chance["torch"])
    model.action_space.np_random.bit_generator.state = chance["actions"]
    if chance["engine"] is not None:
        model._random.bit_generator.state = chance["engine"]
