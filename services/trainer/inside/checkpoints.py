"""Checkpoints: now and then all of a training in one file, which a fresh box can go on from.

It is an ordinary model of the library (so PPO.load reads it), and in the same archive lies what the library leaves out:

    gymwright/about.json         what was trained, and the model's fingerprint
    gymwright/state.pickle       counters, replay buffer, chance, callbacks, logs
    gymwright/episodes.pickle    the environments in the middle of their episodes
"""

from __future__ import annotations

import pickle
import random
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cloudpickle
import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.vec_env import VecEnv

from kit.contracts.records import Record
from kit.inside.saying import KEEP, Say
from services.trainer.inside import leaving, underway
from services.trainer.inside.fingerprints import fingerprint, replayed
from services.trainer.inside.keeping import Keeping
from services.trainer.inside.payloads import CHECKPOINT_FILE, MOST_CHECKPOINT_BYTES, Fingerprint, Resumed

ABOUT, STATE, EPISODES = "gymwright/about.json", "gymwright/state.pickle", "gymwright/episodes.pickle"
COUNTERS: Final = (
    "num_timesteps", "_episode_num", "_n_updates", "_current_progress_remaining", "_last_obs", "_last_episode_starts",
    "ep_info_buffer", "ep_success_buffer",
)  # fmt: skip
"""Of the library's algorithms; those that a model has."""


class Kind(Record):
    """What must be the same in the box that goes on."""

    engine: str
    algorithm: str
    n_envs: int
    total_timesteps: int
    twin: bool  # whether the batched twin is used


class About(Record):
    kind: Kind
    fingerprint: Fingerprint


@dataclass(frozen=True)
class Scene:
    """All that a training has beside its model. venv: as the recorders were put together, below any wrapper.

    parts: callbacks, clocks and wrappers, by name. monitors, events: the folders of the logs.
    """

    kind: Kind
    venv: VecEnv
    parts: Mapping[str, Keeping]
    monitors: Path
    events: Path


class Checkpoints(Keeping, CheckpointCallback):  # type: ignore[misc]
    """The library's callback; it writes between two rollouts, and keeps one file, the latest.

    Now and then the file leaves the box, since it may be all that is left of it. resumed: earlier ones taken up.
    """

    KEPT = ("n_calls", "resumed")

    def __init__(self, every: int, folder: Path, scene: Scene, say: Say, leave_every_s: float) -> None:
        """every: vector steps."""
        super().__init__(save_freq=1, save_path=str(folder))
        self._every = every
        self._whole, self._part = folder / CHECKPOINT_FILE, folder / "checkpoint.part.zip"
        self._scene = scene
        self._say = say
        self._leave_every_s = leave_every_s
        self._left_at = time.monotonic()
        self._due = False
        self.resumed: tuple[Resumed, ...] = ()

    def _on_step(self) -> bool:
        self._due = self._due or self.n_calls % self._every == 0
        return True

    def _on_rollout_start(self) -> None:
        if self._due:
            self._due = False
            with suppress(OSError):  # a full disk is no reason to end a training
                self._write()

    def _checkpoint_path(self, checkpoint_type: str = "", extension: str = "") -> str:
        return str(self._part)

    def _write(self) -> None:
        super()._on_step()
        complete = _bytes(self.model) <= MOST_CHECKPOINT_BYTES
        if complete:
            with zipfile.ZipFile(self._part, "a") as archive:
                _add(archive, self.model, self._scene)
        self._part.replace(self._whole)
        now = time.monotonic()
        if complete and now - self._left_at >= self._leave_every_s:
            self._left_at = now
            self._say(KEEP, name=CHECKPOINT_FILE, timesteps=self.num_timesteps)


def chance(model: BaseAlgorithm) -> dict[str, Any]:
    """Where every generator stands that a training draws from, but for the environments' own."""
    own = getattr(model, "_random", None)  # the fast engine's
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state(),
        "actions": model.action_space.np_random.bit_generator.state,
        "engine": None if own is None else own.bit_generator.state,
    }


def _add(archive: zipfile.ZipFile, model: BaseAlgorithm, scene: Scene) -> None:
    buffer = getattr(model, "replay_buffer", None)
    state = {
        "counters": {name: getattr(model, name) for name in COUNTERS if hasattr(model, name)},
        "buffer": None if buffer is None else (replayed(buffer), buffer.pos, buffer.full),
        "chance": chance(model),
        "parts": {name: part.kept() for name, part in scene.parts.items()},
        "monitors": leaving.monitored(scene.monitors),
        "events": leaving.events(scene.events),
    }
    archive.writestr(ABOUT, About(kind=scene.kind, fingerprint=fingerprint(model)).model_dump_json())
    with archive.open(STATE, "w", force_zip64=True) as file:
        cloudpickle.dump(state, file, protocol=pickle.HIGHEST_PROTOCOL)
    archive.writestr(EPISODES, underway.pickled(scene.venv))


def _bytes(model: BaseAlgorithm) -> int:
    """What most of a checkpoint's size is."""

    def size(found: Any) -> int:
        return sum(map(size, found.values())) if isinstance(found, dict) else found.nbytes

    buffer = getattr(model, "replay_buffer", None)
    return 0 if buffer is None else size(replayed(buffer))
