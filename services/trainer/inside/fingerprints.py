"""Fingerprints: what a model's next step depends on, as hashes that two boxes can compare bit by bit."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer

from services.trainer.inside.payloads import Fingerprint

REPLAYED = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


def fingerprint(model: BaseAlgorithm) -> Fingerprint:
    """Between two rollouts, when PPO's rollout holds nothing that is still needed."""
    states = model.get_parameters()
    buffer: ReplayBuffer | None = getattr(model, "replay_buffer", None)
    optimizers = {name: state for name, state in states.items() if name.endswith("optimizer")}
    others = {name: state for name, state in states.items() if name not in optimizers}
    return Fingerprint(
        timesteps=model.num_timesteps,
        updates=model._n_updates,
        learning_rate=float(model.lr_schedule(model._current_progress_remaining)),
        parameters=_sha256(others | variables(model)),
        optimizer=_sha256(optimizers),
        buffer="" if buffer is None else _sha256([replayed(buffer), buffer.pos, buffer.full]),
    )


def variables(model: BaseAlgorithm) -> dict[str, torch.Tensor]:
    """Tensors beside the networks that the library saves, such as the logarithm of SAC's temperature."""
    return {name: getattr(model, name) for name in model._get_torch_save_params()[1]}


def replayed(buffer: ReplayBuffer) -> dict[str, Any]:
    """Views of the rows that were filled, by name; where observations have several parts, by theirs below it."""
    filled = buffer.buffer_size if buffer.full else buffer.pos

    def rows(found: Any) -> Any:
        return {name: rows(part) for name, part in found.items()} if isinstance(found, dict) else found[:filled]

    return {name: rows(getattr(buffer, name)) for name in REPLAYED}


def _sha256(what: Any) -> str:
    digest = hashlib.sha256()

    def add(found: Any) -> None:
        match found:
            case dict():
                for key, value in found.items():
                    digest.update(f"{key}:".encode())
                    add(value)
            case list() | tuple():
                digest.update(f"[{len(found)}]".encode())
                for value in found:
                    add(value)
            case torch.Tensor():
                add(found.detach().numpy())
            case np.ndarray():
                digest.update(f"{found.dtype}{found.shape}".encode())
                digest.update(np.ascontiguousarray(found).data)
            case _:
                digest.update(f"{found!r};".encode())

    add(what)
    return digest.hexdigest()
