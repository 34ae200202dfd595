"""Under way: the episodes that a checkpoint finds half played, and how fresh environments play on."""

from __future__ import annotations

import pickle
import time
from typing import Any

import cloudpickle
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from services.trainer.inside.engines.twin_vector import TwinVector

MONITORED = ("rewards", "needs_reset", "total_steps")


def pickled(venv: VecEnv) -> bytes:
    """The environments of a training, candidate's objects included; empty where these can't be pickled."""
    try:
        return bytes(cloudpickle.dumps(_kept(venv), protocol=pickle.HIGHEST_PROTOCOL))
    except MemoryError:
        raise
    except Exception:
        return b""


def take_up(venv: VecEnv, found: bytes) -> None:
    """venv: as it was when the pickled one was made. Runs the candidate's code, as stepping does."""
    kept = pickle.loads(found)
    if isinstance(venv, TwinVector):
        venv.take_up(kept["vector"])
        venv.twin.take_up(kept["recorder"])
        return
    for monitor, one in zip(venv.envs, kept, strict=True):
        monitor.env.take_up(one["recorder"])
        monitor.t_start = time.time() - one["age_s"]
        for name in MONITORED:
            setattr(monitor, name, one[name])


def _kept(venv: VecEnv) -> Any:
    if isinstance(venv, TwinVector):
        return {"vector": venv.kept(), "recorder": venv.twin.kept()}
    return [_of_monitored(monitor) for monitor in venv.envs]


def _of_monitored(monitor: Monitor) -> dict[str, Any]:
    own = {name: getattr(monitor, name) for name in MONITORED}
    return {"recorder": monitor.env.kept(), "age_s": time.time() - monitor.t_start, **own}
